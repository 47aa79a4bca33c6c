namespace Broker.Interop.Tests.Harness;

/// <summary>Peers in C that use Debian's libzmq.</summary>
internal sealed class LibzmqPeers() : CPeers("zmq", "zmq.h", "libzmq3-dev"), IZeroMqPeers;
