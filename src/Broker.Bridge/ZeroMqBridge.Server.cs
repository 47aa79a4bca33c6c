using Broker.Client;

namespace Broker.Bridge;

// The connection to the NATS server. All methods run on the client's loop unless their comment says otherwise.
public sealed partial class ZeroMqBridge
{
    private const int MostServerErrors = 16;

    // The kinds of error that have been logged since the last connect. The server sends an error for each message that
    // it does not permit.
    private readonly HashSet<string> _serverErrors = new(StringComparer.Ordinal);

    private string? _lastFailure;

    private async Task ConnectAsync(CancellationToken cancellationToken)
    {
        ClientOptions given = _options.Client;
        _client = await BrokerConnection.ConnectAsync(
            given with
            {
                Loops = Loops,
                Echo = true,
                FirstConnect = _options.RequireServer ? FirstConnect.Fail : FirstConnect.Background,
                RetryRefused = true,
                Name = given.Name ?? "zeromq bridge",
                OnDisconnected = (client, reason) =>
                {
                    OnServerLost(reason);
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
                    Notify(static route => route.OnWritable());
                    given.OnWritable?.Invoke(client);
                },
                OnClosed = client =>
                {
                    OnServerGone();
                    given.OnClosed?.Invoke(client);
                },
                OnFault = (subscription, error) =>
                {
                    _log.Fault(error);
                    given.OnFault?.Invoke(subscription, error);
                },
            },
            cancellationToken).ConfigureAwait(false);
        _context = new RouteContext(_client, Loops, _options.Id, given.InboxPrefix, _options.Logger, given.Tracing
            ? new BridgeTracer()
            : null);
    }

    private void OnServerLost(Exception reason)
    {
        if (!_stopping)
        {
            _log.ServerLost(reason.Message);
        }

        Notify(static route => route.OnServerLost());
    }

    // Logs each reason once: while a server is away for a day, the client makes some thousand attempts.
    private void OnServerAbsent(Exception reason)
    {
        if (!_stopping && !string.Equals(_lastFailure, reason.Message, StringComparison.Ordinal))
        {
            _lastFailure = reason.Message;
            _log.ServerAbsent(reason.Message);
        }
    }

    private void OnServerBack(BrokerConnection client)
    {
        _serverErrors.Clear();
        _lastFailure = null;
        Notify(static route => route.OnServerConnected());
        _log.ServerBack(client.Server);
    }

    // An exception in one route must not keep the other routes from being notified.
    private void Notify(Action<BridgeRoute> what)
    {
        foreach (BridgeRoute route in _routes)
        {
            try
            {
                what(route);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                _log.Fault(e);
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
            _log.ServerError(text);
        }
        else
        {
            _log.ServerErrorAgain(text);
        }
    }

    // Any thread.
    private void OnServerGone()
    {
        if (!_stopping)
        {
            _log.ServerGone();
        }
    }
}
