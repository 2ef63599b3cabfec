#include "app/seqd_application.h"

int main(int argc, char** argv) {
  seqd::app::SeqdApplication application;
  return application.run(argc, argv);
}
