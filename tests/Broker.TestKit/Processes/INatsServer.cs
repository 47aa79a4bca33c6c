namespace Broker.TestKit.Processes;

/// <summary>A process with a server that NATS clients connect to. Disposing kills the process.</summary>
public interface INatsServer : IAsyncDisposable
{
    PeerProcess Process { get; }

    string Url { get; }
}
