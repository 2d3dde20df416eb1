// The text of a launch list, for dumps and tests. It has no parser.

#include <ostream>
#include <sstream>

#include "artifact/launch_list.h"

namespace litz::artifact {
namespace {

class Printer {
 public:
  Printer(std::ostream& out, const LaunchList& list) : out_(out), list_(list) {}

  void print() {
    out_ << "list @" << list_.name << " {\n";
    for (size_t i = 0; i < list_.storages.size(); ++i) print_storage(i);
    if (list_.has_layouts) {
      out_ << "  arena with layouts\n";
    } else {
      out_ << "  arena " << list_.arena_bytes << " bytes\n";
    }
    for (const Assertion& assertion : list_.assertions) {
      out_ << "  assert " << assertion.condition << ", \"" << assertion.message << "\"\n";
    }
    for (size_t i = 0; i < list_.launches.size(); ++i) print_launch(i);
    out_ << "  return ";
    join(list_.outputs, [&](const ListOutput& output) { print_output(output); });
    out_ << "\n}\n";
  }

 private:
  template <typename List, typename PrintOne>
  void join(const List& list, const PrintOne& print_one) {
    const char* separator = "";
    for (const auto& item : list) {
      out_ << separator;
      print_one(item);
      separator = ", ";
    }
  }

  void print_storage(size_t index) {
    const PlannedStorage& storage = list_.storages[index];
    out_ << "  storage " << index << " %" << storage.name << ": ";
    switch (storage.kind) {
      case StorageKind::arena:
        out_ << "arena ";
        if (list_.has_layouts) {
          out_ << "range " << storage.index;
        } else {
          out_ << storage.offset;
        }
        break;
      case StorageKind::input:
        out_ << "input " << storage.index;
        break;
      case StorageKind::weight:
        out_ << "weight " << storage.index;
        break;
      case StorageKind::output:
        out_ << "output " << storage.index;
        break;
    }
    out_ << ", " << storage.bytes << " bytes";
    if (storage.kind == StorageKind::arena) {
      out_ << ", launches " << storage.first << " to " << storage.last;
    }
    out_ << "\n";
  }

  void print_slot(const Slot& slot) {
    if (slot.storage < 0 || static_cast<size_t>(slot.storage) >= list_.storages.size()) {
      out_ << "none";
      return;
    }
    out_ << '%' << list_.storages[static_cast<size_t>(slot.storage)].name;
    if (!slot.offset.is(0)) out_ << " + " << slot.offset;
  }

  void print_tensor(const TensorSlot& tensor) {
    print_slot(tensor.slot);
    if (tensor.slot.storage != kNoStorage) out_ << " : " << tensor.type;
  }

  void print_work(const KernelLaunch& work) {
    out_ << "kernel " << work.kernel << "(";
    join(work.buffers, [&](const Slot& slot) { print_slot(slot); });
    if (!work.scalars.empty()) out_ << "; ";
    join(work.scalars, [&](const Expr& scalar) { out_ << scalar; });
    out_ << ")";
  }

  struct ArgumentPrinter {
    Printer& printer;

    void operator()(std::monostate) const { printer.out_ << "none"; }

    void operator()(const TensorSlot& tensor) const { printer.print_tensor(tensor); }

    void operator()(const std::vector<TensorSlot>& tensors) const {
      printer.out_ << "[";
      printer.join(tensors, *this);
      printer.out_ << "]";
    }

    void operator()(const Expr& value) const { printer.out_ << value; }

    void operator()(const std::vector<Expr>& values) const {
      printer.out_ << "[";
      printer.join(values, *this);
      printer.out_ << "]";
    }

    void operator()(const std::complex<double>& value) const { printer.out_ << value; }

    void operator()(const std::string& text) const { printer.out_ << '"' << text << '"'; }

    void operator()(DType dtype) const { printer.out_ << name(dtype); }

    void operator()(const std::vector<std::string>& texts) const {
      printer.out_ << "[";
      printer.join(texts, *this);
      printer.out_ << "]";
    }
  };

  void print_work(const LibraryLaunch& work) {
    out_ << "library " << work.function << "(";
    join(work.arguments,
         [&](const LibraryArgument& argument) { std::visit(ArgumentPrinter{*this}, argument); });
    out_ << ") -> (";
    join(work.results, [&](const TensorSlot& result) { print_tensor(result); });
    out_ << ")";
    if (!work.epilogue) return;
    out_ << " then kernel " << work.epilogue->kernel << "(";
    join(work.epilogue->buffers, [&](const TensorSlot& buffer) { print_tensor(buffer); });
    out_ << ")";
  }

  void print_work(const CallLaunch& work) {
    out_ << "call " << work.call << "(";
    join(work.buffers, [&](const TensorSlot& tensor) { print_tensor(tensor); });
    out_ << ")";
  }

  void print_work(const CopyLaunch& work) {
    out_ << "copy ";
    print_slot(work.to);
    out_ << " from ";
    print_slot(work.from);
    out_ << ", " << work.bytes << " bytes";
  }

  void print_accesses(const Launch& launch, bool writes, const char* word) {
    std::vector<Access> chosen;
    for (const Access& access : launch.accesses) {
      if (access.is_write == writes) chosen.push_back(access);
    }
    if (chosen.empty()) return;
    out_ << " " << word << " [";
    join(chosen, [&](const Access& access) {
      print_slot(access.begin);
      out_ << " for " << access.bytes;
    });
    out_ << "]";
  }

  void print_launch(size_t index) {
    const Launch& launch = list_.launches[index];
    out_ << "  launch " << index << " ";
    std::visit([&](const auto& work) { print_work(work); }, launch.work);
    print_accesses(launch, false, "reads");
    print_accesses(launch, true, "writes");
    if (!launch.label.empty()) out_ << "  // " << launch.label;
    out_ << "\n";
  }

  void print_output(const ListOutput& output) {
    if (const auto* const tensor = std::get_if<TensorSlot>(&output)) {
      print_tensor(*tensor);
    } else if (const auto* const value = std::get_if<Expr>(&output)) {
      out_ << *value;
    } else if (const auto* const text = std::get_if<std::string>(&output)) {
      out_ << '"' << *text << '"';
    } else {
      out_ << "none";
    }
  }

  std::ostream& out_;
  const LaunchList& list_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const LaunchList& list) {
  Printer(out, list).print();
  return out;
}

std::string to_string(const LaunchList& list) {
  std::ostringstream out;
  out << list;
  return std::move(out).str();
}

}  // namespace litz::artifact
