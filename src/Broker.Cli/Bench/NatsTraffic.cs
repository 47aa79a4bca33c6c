using System.Diagnostics;
using Broker.Client;

namespace Broker.Cli.Bench;

/// <summary>NATS clients as publishers and subscribers, or as requesters and responders.</summary>
/// <param name="settings">The traffic.</param>
/// <param name="connect">Opens a connection to the server.</param>
/// <param name="isRefused">Returns whether the server has refused a part of the traffic.</param>
internal sealed class NatsTraffic(BenchSettings settings, Func<Task<BrokerConnection>> connect, Func<bool> isRefused) : IBenchTraffic
{
    private readonly List<BrokerConnection> _connections = [];
    private readonly List<BrokerConnection> _senders = [];
    private readonly string[] _subjects = [.. Enumerable.Range(0, settings.Subjects).Select(number => settings.SubjectOf(number))];
    private readonly ReadOnlyMemory<byte>[] _bodies = settings.Size.CreateBodies();

    public string Server => _senders[0].Server ?? "";

    public string? Address => Server;

    public BenchCounts Counts { get; } = new();

    public bool WasRefused => isRefused();

    public async Task OpenAsync(CancellationToken stop)
    {
        if (settings.Pattern != BenchPattern.Publish)
        {
            for (int i = 0; i < settings.Subscribers; i++)
            {
                await SubscribeAsync(stop);
            }
        }

        for (int i = 0; i < settings.Publishers; i++)
        {
            _senders.Add(await ConnectAsync());
        }
    }

    public Task[] Start(CancellationToken end) => [.. _senders.SelectMany((connection, i) => Start(connection, i, end))];

    public async ValueTask DisposeAsync()
    {
        foreach (BrokerConnection connection in _connections)
        {
            await connection.DisposeAsync();
        }
    }

    private async Task<BrokerConnection> ConnectAsync()
    {
        BrokerConnection connection = await connect();
        _connections.Add(connection);
        return connection;
    }

    private async Task SubscribeAsync(CancellationToken stop)
    {
        BrokerConnection connection = await ConnectAsync();
        if (settings.Pattern == BenchPattern.Request)
        {
            // Several responders share the requests.
            connection.Subscribe(settings.Filter, static (in m) => m.Respond(m.Body), settings.Queue ?? "bench");
        }
        else
        {
            BenchCounter counter = Counts.AddReceiver();
            connection.Subscribe(settings.Filter, (in m) => counter.Count(m.Body.Length), settings.Queue);
        }

        await connection.FlushAsync(stop);
    }

    // Each loop has its share of the messages.
    private IEnumerable<Task> Start(BrokerConnection connection, int number, CancellationToken end)
    {
        BenchCounter counter = Counts.AddSender();
        int loops = settings.Pattern == BenchPattern.Request ? settings.InFlight : 1;
        for (int i = 0; i < loops; i++)
        {
            long share = settings.Share(settings.Publishers * loops, (number * loops) + i);
            yield return settings.Pattern == BenchPattern.Request
                ? Task.Run(() => RequestAsync(connection, counter, share, end), CancellationToken.None)
                : Task.Run(() => PublishAsync(connection, counter, share, end), CancellationToken.None);
        }
    }

    private async Task PublishAsync(BrokerConnection connection, BenchCounter counter, long count, CancellationToken end)
    {
        for (long i = 0; i < count && !end.IsCancellationRequested; i++)
        {
            ReadOnlyMemory<byte> body = _bodies[i % _bodies.Length];
            await connection.PublishAsync(_subjects[i % _subjects.Length], body, cancellationToken: CancellationToken.None);
            counter.Count(body.Length);
        }

        await connection.FlushAsync(CancellationToken.None);
    }

    private async Task RequestAsync(BrokerConnection connection, BenchCounter counter, long count, CancellationToken end)
    {
        for (long i = 0; i < count && !end.IsCancellationRequested; i++)
        {
            ReadOnlyMemory<byte> body = _bodies[i % _bodies.Length];
            long begin = Stopwatch.GetTimestamp();
            try
            {
                await connection.RequestAsync(_subjects[i % _subjects.Length], body, cancellationToken: CancellationToken.None);
            }
            catch (TimeoutException)
            {
                Counts.CountUnanswered();
                continue;
            }

            Counts.RecordSince(begin);
            counter.CountShared(body.Length);
        }
    }
}
