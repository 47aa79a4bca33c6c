using System.Net;
using System.Net.Sockets;

namespace Broker.Testing.Links;

/// <summary>
/// Stands between programs and an address of TCP, whatever they speak, and does to their bytes what networks do: delays, stalls, cuts
/// and half-closes, when a test says so. Nothing happens by chance.
/// </summary>
/// <remarks>Thread-safe. Until it is told otherwise bytes pass as they come. Disposing it cuts what is connected.</remarks>
public sealed class FaultLink : IAsyncDisposable
{
    private readonly Socket _listener;
    private readonly EndPoint _target;
    private readonly LinkFaults _faults;
    private readonly List<LinkConnection> _connections = [];
    private readonly CancellationTokenSource _ending = new();
    private readonly Task _accepting;
    private volatile bool _refuses;
    private volatile HeldConnections? _held;
    private int _disposed;

    private FaultLink(EndPoint target, TimeProvider time)
    {
        _target = target;
        _faults = new LinkFaults(time);
        _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        EndPoint = (IPEndPoint)_listener.LocalEndPoint!;
        _accepting = AcceptAsync();
    }

    /// <summary>Where programs connect: a free port of 127.0.0.1.</summary>
    public IPEndPoint EndPoint { get; }

    /// <summary>The same as text, for addresses of every protocol: <c>$"nats://{link.Address}"</c>, <c>$"tcp://{link.Address}"</c>.</summary>
    public string Address => EndPoint.ToString();

    /// <summary>How many connections go through it now.</summary>
    public int Connections
    {
        get
        {
            lock (_connections)
            {
                return _connections.Count;
            }
        }
    }

    /// <summary>
    /// How long each piece of what is received from now on is held back, in each direction; the order stays. What waits is bounded: beyond
    /// some hundred kilobytes a sender is held up. Default zero.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative or above a day.</exception>
    public TimeSpan Delay
    {
        get => _faults.Delay;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            _faults.Delay = value;
        }
    }

    /// <summary>Whether who connects is cut off at once, as where nobody listens. Those who are connected stay. Default false.</summary>
    public bool RefusesConnections
    {
        get => _refuses;
        set => _refuses = value;
    }

    /// <summary>Opens a link to an address. Nobody needs to listen there yet; who connects before that is cut off.</summary>
    /// <param name="target">An <see cref="IPEndPoint"/> or a <see cref="DnsEndPoint"/>.</param>
    /// <param name="time">What <see cref="Delay"/> goes by; null for the system's.</param>
    public static FaultLink Open(EndPoint target, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(target);
        return new FaultLink(target, time ?? TimeProvider.System);
    }

    /// <summary>How many bytes it has passed on in a direction, of all connections.</summary>
    public long Passed(LinkDirection direction) => _faults.Passed(direction);

    /// <summary>
    /// Lets nothing pass until <see cref="Resume"/>, also not that an end has gone. Connections stay open, and senders are held up once what is
    /// between is full.
    /// </summary>
    /// <param name="direction">Null for both.</param>
    public void Stall(LinkDirection? direction = null) => ForEach(direction, _faults.Stall);

    /// <summary>Ends what <see cref="Stall"/> began; what waited passes first.</summary>
    /// <param name="direction">Null for both.</param>
    public void Resume(LinkDirection? direction = null) => ForEach(direction, _faults.Resume);

    /// <summary>Cuts all connections that there are: both ends get a reset, and what was under way is lost. New ones are let in.</summary>
    public void Cut()
    {
        foreach (LinkConnection connection in Snapshot())
        {
            connection.Abort();
        }
    }

    /// <summary>
    /// Cuts a connection behind a byte: whichever one the last of the next <paramref name="bytes"/> in that direction comes by. The receiver
    /// gets exactly those and then the end of the stream, the sender a reset. Once; another call for the direction, of this or of
    /// <see cref="StallAfterAsync"/>, takes its place.
    /// </summary>
    /// <param name="bytes">How many may still pass, counted over all connections; 0 cuts in place of the next.</param>
    /// <param name="direction">Which bytes are counted.</param>
    /// <returns>Done when it has happened; cancelled when another call has taken its place, or the link has ended.</returns>
    public Task CutAfterAsync(long bytes, LinkDirection direction)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        return _faults.CutAfterAsync(bytes, direction);
    }

    /// <summary>
    /// Stalls a direction behind a byte, as <see cref="Stall"/> does at once: what comes after the next <paramref name="bytes"/> waits for
    /// <see cref="Resume"/>, and the connections stay open. So a program can be met at each step of a dialogue. Once; another call for the direction,
    /// of this or of <see cref="CutAfterAsync"/>, takes its place.
    /// </summary>
    /// <param name="bytes">How many may still pass, counted over all connections; 0 stalls in place of the next.</param>
    /// <param name="direction">Which bytes are counted, and wait.</param>
    /// <returns>Done when it has happened; cancelled when another call has taken its place, or the link has ended.</returns>
    public Task StallAfterAsync(long bytes, LinkDirection direction)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        return _faults.StallAfterAsync(bytes, direction);
    }

    /// <summary>
    /// Holds the next connections until as many have come as <paramref name="order"/> has numbers, and lets them reach the address in that order:
    /// <c>ReorderAsync(1, 0)</c> the second before the first. Until then those who have connected wait, as behind a slow network; they are not in
    /// <see cref="Connections"/>, and <see cref="Cut"/> does not concern them.
    /// </summary>
    /// <param name="order">Each number from 0 once: which of them is first, which next.</param>
    /// <returns>Done when all have reached the address, or were cut off since nobody listens there; cancelled when the link has ended.</returns>
    /// <exception cref="ArgumentException">The numbers are no order.</exception>
    /// <exception cref="InvalidOperationException">Connections of another call are still waited for.</exception>
    public Task ReorderAsync(params int[] order)
    {
        ArgumentNullException.ThrowIfNull(order);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        if (order.Length == 0 || !order.Order().SequenceEqual(Enumerable.Range(0, order.Length)))
        {
            throw new ArgumentException("An order has each number from 0 once.", nameof(order));
        }

        var held = new HeldConnections([.. order]);
        if (Interlocked.CompareExchange(ref _held, held, null) is not null)
        {
            throw new InvalidOperationException("The link still waits for connections of another order.");
        }

        return held.Done;
    }

    /// <summary>
    /// Ends one direction of all connections that there are and goes on with the other: the receiver gets the end of the stream, and what the sender
    /// goes on to send is thrown away.
    /// </summary>
    public void HalfClose(LinkDirection direction)
    {
        foreach (LinkConnection connection in Snapshot())
        {
            connection.HalfClose(direction);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await _ending.CancelAsync().ConfigureAwait(false);
        _listener.Dispose();
        await _accepting.ConfigureAwait(false);
        _held?.End();
        LinkConnection[] left = Snapshot();
        foreach (LinkConnection connection in left)
        {
            connection.Abort();
        }

        await Task.WhenAll(left.Select(c => c.Ended)).ConfigureAwait(false);
        _faults.End();
        _ending.Dispose();
    }

    private static void ForEach(LinkDirection? direction, Action<LinkDirection> action)
    {
        if (direction is { } one)
        {
            action(one);
            return;
        }

        action(LinkDirection.ToServer);
        action(LinkDirection.ToClient);
    }

    private LinkConnection[] Snapshot()
    {
        lock (_connections)
        {
            return [.. _connections];
        }
    }

    private async Task AcceptAsync()
    {
        while (!_ending.IsCancellationRequested)
        {
            try
            {
                Socket client = await _listener.AcceptAsync(_ending.Token).ConfigureAwait(false);
                if (_refuses)
                {
                    client.Close(0);
                    continue;
                }

                if (_held is { } held)
                {
                    await ConnectAsync(held, held.Add(client)).ConfigureAwait(false);
                    continue;
                }

                await ConnectAsync(client).ConfigureAwait(false);
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException)
            {
                // Who connected has gone again.
            }
        }
    }

    private async Task ConnectAsync(HeldConnections held, IReadOnlyList<Socket> clients)
    {
        // Each when the one before it is there: who listens accepts them in this order.
        foreach (Socket client in clients)
        {
            await ConnectAsync(client).ConfigureAwait(false);
        }

        if (clients.Count > 0)
        {
            _held = null;
            held.Complete();
        }
    }

    private async Task ConnectAsync(Socket client)
    {
        var server = new Socket(SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await server.ConnectAsync(_target, _ending.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException)
        {
            client.Close(0);
            server.Dispose();
            return;
        }

        var connection = new LinkConnection(_faults, client, server);
        lock (_connections)
        {
            _connections.Add(connection);
        }

        connection.Start(Remove);
    }

    private void Remove(LinkConnection connection)
    {
        lock (_connections)
        {
            _connections.Remove(connection);
        }
    }
}
