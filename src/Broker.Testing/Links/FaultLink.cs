using System.Net;
using System.Net.Sockets;

namespace Broker.Testing;

/// <summary>
/// A TCP proxy between programs and an address that injects network faults into any protocol: delays, stalls, cuts and
/// half-closes. Faults occur only when the test requests them, never at random.
/// </summary>
/// <remarks>
/// Thread-safe. By default, bytes pass unchanged and without delay. Disposing the link cuts its connections.
/// </remarks>
public sealed class FaultLink : IAsyncDisposable
{
    private readonly Socket _listener;
    private readonly EndPoint _target;
    private readonly LinkFaults _faults;
    private readonly List<LinkConnection> _connections = [];
    private readonly CancellationTokenSource _ending = new();
    private readonly Task _accepting;
    private volatile bool _refuses;
    private volatile ReorderedConnections? _reordered;
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

    /// <summary>The address for programs: a free port of 127.0.0.1.</summary>
    public IPEndPoint EndPoint { get; }

    /// <summary>
    /// The address as text, for URLs of any protocol: <c>$"nats://{link.Address}"</c>, <c>$"tcp://{link.Address}"</c>.
    /// </summary>
    public string Address => EndPoint.ToString();

    /// <summary>The number of open connections through the link.</summary>
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
    /// The delay for all bytes that are received from now on, in each direction. The order of the bytes does not
    /// change. The link buffers a few hundred kilobytes and then blocks the sender. Default: zero.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative or greater than one day.</exception>
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

    /// <summary>
    /// Whether the link closes new connections at once, as if nobody listened. Existing connections stay open. Default:
    /// false.
    /// </summary>
    public bool RefusesConnections
    {
        get => _refuses;
        set => _refuses = value;
    }

    /// <summary>
    /// Opens a link to an address. The server at this address may start to listen later. Until then, the link closes
    /// new connections at once.
    /// </summary>
    /// <param name="target">An <see cref="IPEndPoint"/> or a <see cref="DnsEndPoint"/>.</param>
    /// <param name="time">The clock for <see cref="Delay"/>. Null means the system clock.</param>
    public static FaultLink Open(EndPoint target, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(target);
        return new FaultLink(target, time ?? TimeProvider.System);
    }

    /// <summary>The number of bytes that have passed in one direction, over all connections.</summary>
    public long GetPassedBytes(LinkDirection direction) => _faults.GetPassedBytes(direction);

    /// <summary>
    /// Stops all bytes until <see cref="Resume"/>. The end of a connection also waits until then. Connections stay
    /// open, and senders block when the buffers are full.
    /// </summary>
    /// <param name="direction">The direction. Null means both directions.</param>
    public void Stall(LinkDirection? direction = null) => ForEach(direction, _faults.Stall);

    /// <summary>Ends a stall. The bytes that waited pass first.</summary>
    /// <param name="direction">The direction. Null means both directions.</param>
    public void Resume(LinkDirection? direction = null) => ForEach(direction, _faults.Resume);

    /// <summary>
    /// Cuts all open connections: both ends get a reset, and bytes that have not reached the receiver are lost. New
    /// connections are accepted.
    /// </summary>
    public void Cut()
    {
        foreach (LinkConnection connection in Snapshot())
        {
            connection.Abort();
        }
    }

    /// <summary>
    /// Lets the next <paramref name="bytes"/> bytes pass in a direction, and cuts the connection that carries the last
    /// of these bytes. The receiver gets exactly these bytes and then the end of the stream, and the sender gets a
    /// reset. One call causes one cut. A later call of this method or of <see cref="StallAfterAsync"/> for the same
    /// direction replaces this call.
    /// </summary>
    /// <param name="bytes">
    /// The number of bytes that may still pass, counted over all connections. With 0, the cut happens in place of the
    /// next byte.
    /// </param>
    /// <param name="direction">The direction in which the bytes are counted.</param>
    /// <returns>
    /// A task that completes after the cut. It is canceled if another call has replaced this call, or if the link is
    /// disposed.
    /// </returns>
    public Task CutAfterAsync(long bytes, LinkDirection direction)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        return _faults.CutAfterAsync(bytes, direction);
    }

    /// <summary>
    /// Lets the next <paramref name="bytes"/> bytes pass in a direction, and then stalls this direction. Later bytes
    /// wait for <see cref="Resume"/>, as after <see cref="Stall"/>, and the connections stay open. So a test can stop a
    /// program at each step of a dialogue. One call causes one stall. A later call of this method or of
    /// <see cref="CutAfterAsync"/> for the same direction replaces this call.
    /// </summary>
    /// <param name="bytes">
    /// The number of bytes that may still pass, counted over all connections. With 0, the stall happens in place of the
    /// next byte.
    /// </param>
    /// <param name="direction">The direction in which the bytes are counted and that is then stalled.</param>
    /// <returns>
    /// A task that completes after the stall. It is canceled if another call has replaced this call, or if the link is
    /// disposed.
    /// </returns>
    public Task StallAfterAsync(long bytes, LinkDirection direction)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        return _faults.StallAfterAsync(bytes, direction);
    }

    /// <summary>
    /// Collects as many new connections as <paramref name="order"/> has numbers, and then connects them to the address
    /// in this order: <c>ReorderAsync(1, 0)</c> connects the second connection before the first. Until the last of
    /// these connections has arrived, the clients wait, as in a slow network. <see cref="Connections"/> does not count
    /// the waiting connections, and <see cref="Cut"/> does not affect them.
    /// </summary>
    /// <param name="order">
    /// Each number from 0 once: the index of the connection that goes first, then the index of the connection that goes
    /// second, and so on.
    /// </param>
    /// <returns>
    /// A task that completes when each collected connection has been connected to the address, or has been closed
    /// because nobody listens there. It is canceled if the link is disposed.
    /// </returns>
    /// <exception cref="ArgumentException">The numbers are not a permutation of the numbers from 0.</exception>
    /// <exception cref="InvalidOperationException">The link still collects connections for an earlier call.</exception>
    public Task ReorderAsync(params int[] order)
    {
        ArgumentNullException.ThrowIfNull(order);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        if (order.Length == 0 || !order.Order().SequenceEqual(Enumerable.Range(0, order.Length)))
        {
            throw new ArgumentException("An order must contain each number from 0 exactly once.", nameof(order));
        }

        var held = new ReorderedConnections([.. order]);
        if (Interlocked.CompareExchange(ref _reordered, held, null) is not null)
        {
            throw new InvalidOperationException("The link still waits for the connections of an earlier order.");
        }

        return held.Done;
    }

    /// <summary>
    /// Ends one direction of all open connections and keeps the other direction. The receiver gets the end of the
    /// stream. Bytes that the sender sends afterwards are discarded.
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
        _reordered?.End();
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

                if (_reordered is { } held)
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
                // The client has already closed the connection.
            }
        }
    }

    private async Task ConnectAsync(ReorderedConnections held, IReadOnlyList<Socket> clients)
    {
        // Each connection is made only after the previous one, so the server accepts the connections in this order.
        foreach (Socket client in clients)
        {
            await ConnectAsync(client).ConfigureAwait(false);
        }

        if (clients.Count > 0)
        {
            _reordered = null;
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
