namespace Broker.TestKit.Processes;

/// <summary>A server that NATS clients connect to, as a process. Disposing kills it.</summary>
public interface INatsServer : IAsyncDisposable
{
    PeerProcess Process { get; }

    string Url { get; }
}
