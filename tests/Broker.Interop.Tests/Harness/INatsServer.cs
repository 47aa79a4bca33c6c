namespace Broker.Interop.Tests.Harness;

/// <summary>A server that NATS clients connect to, as a process. Disposing kills it.</summary>
internal interface INatsServer : IAsyncDisposable
{
    PeerProcess Process { get; }

    string Url { get; }
}
