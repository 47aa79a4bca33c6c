using Broker.Client;
using Broker.Transport;

namespace Broker.Bridge;

// The connections to the NATS server. Routes whose subjects are reserved have a connection of their own. So a ZeroMQ
// program of another route cannot reach these subjects through the bridge.
public sealed partial class ZeroMqBridge
{
    private readonly BridgeConnection _connection;
    private BridgeConnection? _reservedConnection;
    private ISubjectReservation? _reservation;
    private RouteContext _context = null!;
    private volatile RouteContext? _reservedContext;

    private BrokerConnection Client => _connection.Client;

    private async Task ConnectAsync(CancellationToken cancellationToken)
    {
        ClientOptions client = _options.Client;
        _reservation = (client.Dialer as IReservingDialer)?.Reserve();
        await _connection.ConnectAsync(
            client with { Loops = Loops, Name = client.Name ?? "zeromq bridge" }, cancellationToken).ConfigureAwait(false);
        _context = ContextOf(_connection, client.Tracing ? new BridgeTracer() : null);
    }

    // Reserves the internal subjects of a route before it starts. Returns the context for the route.
    private async ValueTask<RouteContext> ReserveAsync(RouteOptions route, CancellationToken cancellationToken)
    {
        if (_reservation is null || route.ReservedSubjects.Count == 0)
        {
            return _context;
        }

        ReserveSubjects(route.ReservedSubjects);
        if (_reservedContext is null)
        {
            _reservedConnection = NewConnection();
            await _reservedConnection.ConnectAsync(ReservedClient(), cancellationToken).ConfigureAwait(false);
            _reservedContext = ContextOf(_reservedConnection, _context.Tracer);
        }

        return _reservedContext;
    }

    // Reserves the subjects of the running routes and of a route that is about to start.
    private void ReserveSubjects(IReadOnlyList<string> more)
        => _reservation?.SetSubjects([.. _routes.SelectMany(static route => route.ReservedSubjects).Concat(more).Distinct(StringComparer.Ordinal)]);

    // The callbacks of the bridge's owner are for the first connection only.
    private ClientOptions ReservedClient() => _options.Client with
    {
        Loops = Loops,
        Dialer = _reservation,
        Name = (_options.Client.Name ?? "zeromq bridge") + " pipelines",
        OnDisconnected = null,
        OnReconnected = null,
        OnConnectFailed = null,
        OnServerError = null,
        OnWritable = null,
        OnClosed = null,
        OnFault = null,
    };

    private BridgeConnection NewConnection() => new(_options, _log, () => _routes);

    private RouteContext ContextOf(BridgeConnection connection, BridgeTracer? tracer)
        => new(connection.Client, Loops, _options.Id, _options.Client.InboxPrefix, Context.Inproc, _options.Logger, tracer);

    private ClientStatistics Statistics()
    {
        ClientStatistics first = Client.GetStatistics();
        return _reservedContext is not { } context ? first : Sum(first, context.Client.GetStatistics());
    }

    private static ClientStatistics Sum(ClientStatistics one, ClientStatistics other) => new()
    {
        MessagesIn = one.MessagesIn + other.MessagesIn,
        BytesIn = one.BytesIn + other.BytesIn,
        MessagesOut = one.MessagesOut + other.MessagesOut,
        BytesOut = one.BytesOut + other.BytesOut,
        Reconnects = one.Reconnects + other.Reconnects,
        Dropped = one.Dropped + other.Dropped,
        Lost = one.Lost + other.Lost,
        Unconfirmed = one.Unconfirmed + other.Unconfirmed,
        LostBytes = one.LostBytes + other.LostBytes,
        PendingBytes = one.PendingBytes + other.PendingBytes,
        Faults = one.Faults + other.Faults,
    };

    private void BeginStop()
    {
        _connection.BeginStop();
        _reservedConnection?.BeginStop();
    }

    private async Task CloseConnectionsAsync()
    {
        await _connection.CloseAsync().ConfigureAwait(false);
        if (_reservedConnection is not null)
        {
            await _reservedConnection.CloseAsync().ConfigureAwait(false);
        }

        _reservation?.Dispose();
    }
}
