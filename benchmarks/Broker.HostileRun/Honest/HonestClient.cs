using System.Collections.Concurrent;
using Broker.Client;
using Broker.HostileRun.Site;
using Broker.Transport;

namespace Broker.HostileRun.Honest;

/// <summary>Connects honest NATS clients. A client whose connection ends is a fault, although it reconnects.</summary>
internal static class HonestClient
{
    // A broker that does not get the processor is slow, which the times show. Closing the connection would lose
    // messages.
    private static readonly TimeSpan WriteDeadline = TimeSpan.FromMinutes(5);

    public static Task<BrokerConnection> ConnectAsync(int port, string name, EventLoopGroup loops, ConcurrentQueue<string> faults)
        => BrokerConnection.ConnectAsync(new ClientOptions
        {
            Servers = [$"nats://127.0.0.1:{port}"],
            Name = name,
            User = Names.Honest,
            Password = Names.HonestPassword,
            Loops = loops,
            WriteDeadline = WriteDeadline,
            OnDisconnected = (_, e) => faults.Enqueue($"The connection of the {name} was closed: {e.Message}"),
            OnServerError = (_, text) => faults.Enqueue($"The server sent an error to the {name}: {text}"),
            OnFault = (_, e) => faults.Enqueue($"The {name} failed: {e.Message}"),
        });
}
