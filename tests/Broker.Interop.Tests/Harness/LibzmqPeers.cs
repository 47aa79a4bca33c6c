namespace Broker.Interop.Tests.Harness;

/// <summary>Programs in C over Debian's libzmq.</summary>
internal sealed class LibzmqPeers() : CPeers("zmq", "zmq.h", "libzmq3-dev"), IZeroMqPeers;
