// The main() of every lesson; CMake compiles it once a lesson, with the lesson's id.

#include "lessons/kit/lesson_main.h"

int main(int argc, char** argv) { return kvarium::lesson_main(KVARIUM_LESSON, argc, argv); }
