using Broker.HostileRun.Site;

namespace Broker.HostileRun.Attacks;

/// <summary>The clients of one kind: where they attack, and how often they did.</summary>
internal sealed class Attacker(Endpoints endpoints)
{
    private long _count;

    public Endpoints At { get; } = endpoints;

    /// <summary>The number of attacks.</summary>
    public long Attacks => Interlocked.Read(ref _count);

    public void Count(long more = 1) => Interlocked.Add(ref _count, more);

    /// <summary>Connects as a client that has not sent anything.</summary>
    public Task<HostileConnection> ConnectAsync(int port, CancellationToken cancellationToken)
        => HostileConnection.OpenAsync(port, receiveBuffer: null, cancellationToken);

    /// <summary>Connects with a small receive buffer, as a client that will read nothing.</summary>
    public Task<HostileConnection> ConnectSlowAsync(int port, CancellationToken cancellationToken)
        => HostileConnection.OpenAsync(port, 4096, cancellationToken);

    /// <summary>Connects to the NATS port and authenticates as the attacker's user.</summary>
    public async Task<HostileConnection> ConnectNatsAsync(CancellationToken cancellationToken)
    {
        HostileConnection connection = await ConnectAsync(At.Nats, cancellationToken);
        await connection.SendAsync(Nats.Connect(Names.Attacker, Names.AttackerPassword), cancellationToken);
        return connection;
    }
}
