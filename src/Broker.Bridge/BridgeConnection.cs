using Broker.Client;

namespace Broker.Bridge;

/// <summary>
/// A connection of a bridge to its NATS server. It notifies the routes that use it, and logs. All methods run on the
/// client's loop unless their comment says otherwise.
/// </summary>
/// <param name="options">The options of the bridge.</param>
/// <param name="log">The log of the bridge.</param>
/// <param name="routes">Returns all routes of the bridge.</param>
internal sealed class BridgeConnection(ZeroMqBridgeOptions options, BridgeLog log, Func<BridgeRoute[]> routes)
{
    private const int MostServerErrors = 16;

    // The kinds of error that have been logged since the last connect. The server sends an error for each message that
    // it does not permit.
    private readonly HashSet<string> _serverErrors = new(StringComparer.Ordinal);

    private string? _lastFailure;
    private BrokerConnection? _client;
    private volatile bool _isStopping;

    /// <summary>The connection; to be used after <see cref="ConnectAsync"/>.</summary>
    internal BrokerConnection Client => _client!;

    /// <summary>
    /// Connects to a server, or in the background if the options permit this. May be called on any thread.
    /// </summary>
    /// <param name="given">The options of the client, with the callbacks of the bridge's owner.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    internal async Task ConnectAsync(ClientOptions given, CancellationToken cancellationToken)
        => _client = await BrokerConnection.ConnectAsync(
            given with
            {
                Echo = true,
                FirstConnect = options.RequireServer ? FirstConnect.Fail : FirstConnect.Background,
                RetryRefused = true,
                OnDisconnected = (client, reason) =>
                {
                    OnServerLost(client, reason);
                    given.OnDisconnected?.Invoke(client, reason);
                },
                OnReconnected = client =>
                {
                    OnServerBack(client);
                    given.OnReconnected?.Invoke(client);
                },
                OnConnectFailed = (client, reason) =>
                {
                    OnServerAbsent(reason);
                    given.OnConnectFailed?.Invoke(client, reason);
                },
                OnServerError = (client, text) =>
                {
                    OnServerError(text);
                    given.OnServerError?.Invoke(client, text);
                },
                OnWritable = client =>
                {
                    Notify(client, static route => route.OnWritable());
                    given.OnWritable?.Invoke(client);
                },
                OnClosed = client =>
                {
                    OnServerGone();
                    given.OnClosed?.Invoke(client);
                },
                OnFault = (subscription, error) =>
                {
                    log.Fault(error);
                    given.OnFault?.Invoke(subscription, error);
                },
            },
            cancellationToken).ConfigureAwait(false);

    /// <summary>
    /// Ends the log messages about the server, because the bridge is being closed. May be called on any thread.
    /// </summary>
    internal void BeginStop() => _isStopping = true;

    /// <summary>Closes the connection, unless its loop has ended. May be called on any thread.</summary>
    internal Task CloseAsync() => _client is { } client ? client.Loop.WaitWhileRunningAsync(client.CloseAsync) : Task.CompletedTask;

    private void OnServerLost(BrokerConnection client, Exception reason)
    {
        if (!_isStopping)
        {
            log.ServerLost(reason.Message);
        }

        Notify(client, static route => route.OnServerLost());
    }

    // Logs each reason once: while a server is away for a day, the client makes some thousand attempts.
    private void OnServerAbsent(Exception reason)
    {
        if (!_isStopping && !string.Equals(_lastFailure, reason.Message, StringComparison.Ordinal))
        {
            _lastFailure = reason.Message;
            log.ServerAbsent(reason.Message);
        }
    }

    private void OnServerBack(BrokerConnection client)
    {
        _serverErrors.Clear();
        _lastFailure = null;
        Notify(client, static route => route.OnServerConnected());
        log.ServerBack(client.Server);
    }

    // An exception in one route must not keep the other routes from being notified.
    private void Notify(BrokerConnection client, Action<BridgeRoute> what)
    {
        foreach (BridgeRoute route in routes())
        {
            try
            {
                if (route.Client == client)
                {
                    what(route);
                }
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                log.Fault(e);
            }
        }
    }

    private void OnServerError(string text)
    {
        // The parts that differ from message to message are in quotes, so the text before the first quote identifies
        // the kind of error.
        int end = text.IndexOfAny(['"', '\'']);
        if (_serverErrors.Count < MostServerErrors && _serverErrors.Add(end < 0 ? text : text[..end]))
        {
            log.ServerError(text);
        }
        else
        {
            log.ServerErrorAgain(text);
        }
    }

    // May be called on any thread.
    private void OnServerGone()
    {
        if (!_isStopping)
        {
            log.ServerGone();
        }
    }
}
