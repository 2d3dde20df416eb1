// liblitz_mpi.so: MPI behind the table of mpi_functions.h.

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <string>
#include <vector>

#include "distributed/mpi/mpi_functions.h"

namespace litz::distributed::mpi {

struct GroupData {
  MPI_Comm communicator = MPI_COMM_NULL;
};

struct RequestData {
  MPI_Request request = MPI_REQUEST_NULL;
  // MPI reads these until the request is done.
  std::vector<int> sent;
  std::vector<int> sent_from;
  std::vector<int> received;
  std::vector<int> received_from;
};

namespace {

bool has_given_up = false;

/// Ranks that failed may never come to the end of MPI.
void finish() {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over == 0 && !has_given_up) MPI_Finalize();
}

void give_up() { has_given_up = true; }

int start(int* rank, int* world, int* serialized) {
  int is_started = 0;
  if (const int code = MPI_Initialized(&is_started); code != MPI_SUCCESS) return code;
  int level = MPI_THREAD_SINGLE;
  if (is_started == 0) {
    const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    if (code != MPI_SUCCESS) return code;
    std::atexit(finish);
  } else if (const int code = MPI_Query_thread(&level); code != MPI_SUCCESS) {
    return code;
  }
  *serialized = level >= MPI_THREAD_SERIALIZED ? 1 : 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (const int code = MPI_Comm_rank(MPI_COMM_WORLD, rank); code != MPI_SUCCESS) return code;
  return MPI_Comm_size(MPI_COMM_WORLD, world);
}

int make_group(const int* ranks, int count, int number, Group* group) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  int code = MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (code == MPI_SUCCESS) code = MPI_Group_incl(world, count, ranks, &members);
  auto made = std::make_unique<GroupData>();
  if (code == MPI_SUCCESS) {
    code = MPI_Comm_create_group(MPI_COMM_WORLD, members, number, &made->communicator);
  }
  if (code == MPI_SUCCESS) {
    code = MPI_Comm_set_errhandler(made->communicator, MPI_ERRORS_RETURN);
  }
  if (members != MPI_GROUP_NULL) MPI_Group_free(&members);
  if (world != MPI_GROUP_NULL) MPI_Group_free(&world);
  if (code == MPI_SUCCESS) *group = made.release();
  return code;
}

int free_group(Group group) {
  const std::unique_ptr<GroupData> owned(group);
  int is_over = 0;
  MPI_Finalized(&is_over);
  return is_over != 0 ? MPI_SUCCESS : MPI_Comm_free(&owned->communicator);
}

/// A type of so many bytes, since MPI counts elements in an int. Requests keep it alive.
class Bytes {
 public:
  explicit Bytes(int64_t bytes) {
    constexpr int64_t kLarge = int64_t{1} << 30;
    const auto whole = static_cast<int>(bytes / kLarge);
    const auto rest = static_cast<int>(bytes % kLarge);
    if (whole == 0) {
      code_ = MPI_Type_contiguous(rest, MPI_BYTE, &type_);
    } else {
      MPI_Datatype large = MPI_DATATYPE_NULL;
      code_ = MPI_Type_contiguous(static_cast<int>(kLarge), MPI_BYTE, &large);
      const int counts[] = {whole, rest};
      const MPI_Aint places[] = {0, static_cast<MPI_Aint>(whole * kLarge)};
      const MPI_Datatype types[] = {large, MPI_BYTE};
      if (code_ == MPI_SUCCESS) code_ = MPI_Type_create_struct(2, counts, places, types, &type_);
      if (large != MPI_DATATYPE_NULL) MPI_Type_free(&large);
    }
    if (code_ == MPI_SUCCESS) code_ = MPI_Type_commit(&type_);
  }

  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  ~Bytes() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }

  int code() const { return code_; }

  MPI_Datatype type() const { return type_; }

 private:
  int code_ = MPI_SUCCESS;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// `post(type, request)` starts the work.
template <typename Post>
int posted(int64_t bytes, Request* request, const Post& post) {
  const Bytes type(bytes);
  if (type.code() != MPI_SUCCESS) return type.code();
  auto made = std::make_unique<RequestData>();
  const int code = post(type.type(), *made);
  if (code == MPI_SUCCESS) *request = made.release();
  return code;
}

int all_gather(Group group, const void* from, void* to, int64_t bytes, Request* request) {
  return posted(bytes, request, [&](MPI_Datatype type, RequestData& made) {
    return MPI_Iallgather(from, 1, type, to, 1, type, group->communicator, &made.request);
  });
}

int all_to_all(Group group, const void* from, void* to, int64_t bytes, Request* request) {
  return posted(bytes, request, [&](MPI_Datatype type, RequestData& made) {
    return MPI_Ialltoall(from, 1, type, to, 1, type, group->communicator, &made.request);
  });
}

/// Where each rank's rows begin.
std::vector<int> begins(const std::vector<int>& counts) {
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  return places;
}

int all_to_all_rows(Group group, const void* from, const int* sent, void* to, const int* received,
                    int64_t row_bytes, Request* request) {
  int ranks = 0;
  const int code = MPI_Comm_size(group->communicator, &ranks);
  if (code != MPI_SUCCESS) return code;
  return posted(row_bytes, request, [&](MPI_Datatype type, RequestData& made) {
    made.sent.assign(sent, sent + ranks);
    made.sent_from = begins(made.sent);
    made.received.assign(received, received + ranks);
    made.received_from = begins(made.received);
    return MPI_Ialltoallv(from, made.sent.data(), made.sent_from.data(), type, to,
                          made.received.data(), made.received_from.data(), type,
                          group->communicator, &made.request);
  });
}

int broadcast(Group group, void* data, int64_t bytes, int root, Request* request) {
  return posted(bytes, request, [&](MPI_Datatype type, RequestData& made) {
    return MPI_Ibcast(data, 1, type, root, group->communicator, &made.request);
  });
}

int send(Group group, const void* data, int64_t bytes, int to, int tag, Request* request) {
  return posted(bytes, request, [&](MPI_Datatype type, RequestData& made) {
    return MPI_Isend(data, 1, type, to, tag, group->communicator, &made.request);
  });
}

int receive(Group group, void* data, int64_t bytes, int from, int tag, Request* request) {
  return posted(bytes, request, [&](MPI_Datatype type, RequestData& made) {
    return MPI_Irecv(data, 1, type, from, tag, group->communicator, &made.request);
  });
}

int test(Request request, int* is_done) {
  MPI_Status status;
  const int code = MPI_Test(&request->request, is_done, &status);
  if (code == MPI_SUCCESS && *is_done != 0) delete request;
  return code;
}

void error_text(int code, char* text, int size) {
  char whole[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, whole, &length);
  std::strncpy(text, whole, static_cast<size_t>(size) - 1);
  text[size - 1] = '\0';
}

const char* describe() {
  static const std::string kText = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text);
    return whole.substr(0, whole.find_first_of(",\n"));
  }();
  return kText.c_str();
}

constexpr MpiFunctions kFunctions{
    .start = start,
    .give_up = give_up,
    .make_group = make_group,
    .free_group = free_group,
    .all_gather = all_gather,
    .all_to_all = all_to_all,
    .all_to_all_rows = all_to_all_rows,
    .broadcast = broadcast,
    .send = send,
    .receive = receive,
    .test = test,
    .error_text = error_text,
    .describe = describe,
};

}  // namespace
}  // namespace litz::distributed::mpi

// The one symbol that leaves the library.
extern "C" __attribute__((visibility("default"))) const litz::distributed::mpi::MpiFunctions*
litz_mpi_functions() {
  return &litz::distributed::mpi::kFunctions;
}
