// Records what passes do. See pass_observer.h.

#include "passes/pass_observer.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph_tools/graph_picture.h"
#include "ir/printer.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ir::Graph;
using ir::Node;

constexpr size_t kListed = 200;  // Names per line of the list; pictures show the others.

std::string name_of(const Node& node) {
  if (node.output_count() > 0 && !node.output().name().empty()) return "%" + node.output().name();
  return std::string(node.op().name()) + "#" + std::to_string(node.id());
}

using Names = std::map<uint32_t, std::string>;  // By node id.

Names names_of(const Graph& graph) {
  Names names;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    names.emplace(node->id(), name_of(*node));
  }
  return names;
}

class Edits : public ir::GraphObserver {
 public:
  void changed(const Node& node) override { changed_.insert(node.id()); }

  const std::set<uint32_t>& changed_ids() const { return changed_; }

 private:
  std::set<uint32_t> changed_;
};

std::string listed(std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + std::min(names.size(), kListed));
  std::string text = " " + std::string(what) + " " + join(shown, ", ");
  if (names.size() > kListed) text += " and " + std::to_string(names.size() - kListed) + " more";
  return text + ";";
}

// Marks nodes, but not the terminator.
void mark(ir::Picture& picture, const std::set<uint32_t>& ids) {
  std::set<std::string> boxes;
  for (const uint32_t id : ids) boxes.insert("n" + std::to_string(id));
  for (ir::PictureBox& box : picture.boxes) box.marked = boxes.contains(box.id);
}

}  // namespace

/// The graphs of a module during a pass.
class PassObserver::Watch {
 public:
  Watch(ir::Module& module, bool draws) : module_(module) {
    const ir::DrawOptions options;
    for (Graph* graph : module.graphs()) {
      Watched& watched = graphs_[graph->id()];
      watched.graph = graph;
      watched.name = graph->name();
      watched.names = names_of(*graph);
      if (draws) watched.picture = ir::make_picture(*graph, options, options.max_boxes);
      graph->add_observer(&watched.edits);
    }
  }

  // Passes may have erased some graphs.
  ~Watch() {
    for (auto& [id, watched] : graphs_) {
      if (module_.contains({id})) watched.graph->remove_observer(&watched.edits);
    }
  }

  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::vector<GraphChanges> changes() {
    std::vector<GraphChanges> all;
    for (auto& [id, watched] : graphs_) {
      const Names now = module_.contains({id}) ? names_of(*watched.graph) : Names();
      GraphChanges found{.graph = watched.name};
      compare(watched.names, now, watched, found);
      add(std::move(found), all);
    }
    for (const Graph* graph : module_.graphs()) {
      if (graphs_.contains(graph->id())) continue;
      GraphChanges found{.graph = graph->name()};
      for (const auto& [id, name] : names_of(*graph)) found.created.push_back(name);
      add(std::move(found), all);
    }
    return all;
  }

  // Pictures of changed graphs, before and after.
  std::vector<ir::Picture> before() {
    std::vector<ir::Picture> pictures;
    for (auto& [id, watched] : graphs_) {
      if (watched.erased.empty() && watched.changed.empty() && watched.created.empty()) continue;
      std::set<uint32_t> marked = watched.erased;
      marked.insert(watched.changed.begin(), watched.changed.end());
      mark(watched.picture, marked);
      pictures.push_back(std::move(watched.picture));
    }
    return pictures;
  }

  std::vector<ir::Picture> after(const ir::Module& module) {
    std::vector<ir::Picture> pictures;
    for (const Graph* graph : module.graphs()) {
      ir::DrawOptions options;
      const auto watched = graphs_.find(graph->id());
      if (watched != graphs_.end()) {
        const Watched& known = watched->second;
        if (known.erased.empty() && known.changed.empty() && known.created.empty()) continue;
        options.marked.assign(known.created.begin(), known.created.end());
        options.marked.insert(options.marked.end(), known.changed.begin(), known.changed.end());
      }
      pictures.push_back(ir::make_picture(*graph, options, options.max_boxes));
    }
    return pictures;
  }

 private:
  struct Watched {
    Graph* graph = nullptr;
    std::string name;
    Names names;
    ir::Picture picture;
    Edits edits;
    std::set<uint32_t> created;
    std::set<uint32_t> changed;
    std::set<uint32_t> erased;
  };

  static void compare(const Names& before, const Names& now, Watched& watched,
                      GraphChanges& found) {
    for (const auto& [id, name] : before) {
      if (now.contains(id)) continue;
      watched.erased.insert(id);
      found.erased.push_back(name);
    }
    for (const auto& [id, name] : now) {
      const auto old = before.find(id);
      if (old == before.end()) {
        watched.created.insert(id);
        found.created.push_back(name);
      } else if (old->second != name || watched.edits.changed_ids().contains(id)) {
        watched.changed.insert(id);
        found.changed.push_back(name);
      }
    }
  }

  static void add(GraphChanges changes, std::vector<GraphChanges>& all) {
    if (!changes.created.empty() || !changes.changed.empty() || !changes.erased.empty()) {
      all.push_back(std::move(changes));
    }
  }

  ir::Module& module_;
  std::map<uint32_t, Watched> graphs_;  ///< By id.
};

PassObserver::PassObserver(Write write) : write_(std::move(write)) {}

PassObserver::~PassObserver() = default;

void PassObserver::attach(DriverOptions& options) {
  options.before_pass = [this, next = std::move(options.before_pass)](const Pass& pass,
                                                                      ir::Module& module) {
    if (next) next(pass, module);
    before(pass, module);
  };
  options.after_pass = [this, next = std::move(options.after_pass)](
                           const PassStatistics& statistics, const ir::Module& module) {
    if (next) next(statistics, module);
    after(module);
  };
  options.on_failure = [this, next = std::move(options.on_failure)](const PassFailure& failure) {
    failed();
    if (next) next(failure);
  };
}

void PassObserver::before(const Pass& pass, ir::Module& module) {
  watch_.reset();
  records_.push_back({.number = records_.size() + 1, .pass = std::string(pass.name)});
  if (write_ && text_.empty()) text_ = ir::to_string(module);
  watch_ = std::make_unique<Watch>(module, static_cast<bool>(write_));
}

void PassObserver::after(const ir::Module& module) {
  PassRecord& record = records_.back();
  record.graphs = watch_->changes();
  if (write_ && !record.graphs.empty()) draw(module, record);
  watch_.reset();
  if (!write_) return;
  std::string list;
  for (const PassRecord& each : records_) list += to_string(each);
  write_("passes.txt", list);
}

void PassObserver::failed() {
  watch_.reset();
  records_.back().failed = true;
  text_.clear();
}

void PassObserver::draw(const ir::Module& module, const PassRecord& record) {
  const std::string stem = "pass_" + std::to_string(record.number) + "_" + record.pass;
  write_(stem + "_input.html", ir::html_page("before " + record.pass, watch_->before()));
  write_(stem + "_output.html", ir::html_page("after " + record.pass, watch_->after(module)));
  write_(stem + "_input.ir", text_);
  text_ = ir::to_string(module);
  write_(stem + "_output.ir", text_);
}

std::string to_string(const PassRecord& record) {
  std::string text = std::to_string(record.number) + " " + record.pass;
  if (record.failed) return text + ": failed\n";
  text += record.graphs.empty() ? ": unchanged\n" : "\n";
  for (const GraphChanges& graph : record.graphs) {
    std::string line = "  @" + graph.graph + ":" + listed("created", graph.created) +
                       listed("changed", graph.changed) + listed("erased", graph.erased);
    line.pop_back();
    text += line + "\n";
  }
  return text;
}

}  // namespace litz::passes
