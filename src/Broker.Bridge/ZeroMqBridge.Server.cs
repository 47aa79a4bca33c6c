using Broker.Bridge.Routes;
using Broker.Bridge.Tracing;
using Broker.Client;

namespace Broker.Bridge;

// The NATS side comes and goes. On the client's loop, save where it is said.
public sealed partial class ZeroMqBridge
{
    private const int MostServerErrors = 16;

    // The kinds that have been logged since the last connect. A server complains of every message that it does not permit.
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
                    Tell(static route => route.OnWritable());
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
        _context = new RouteContext(_client, Loops, _options.Id, given.InboxPrefix, _options.Logger, given.Tracing ? new BridgeTracer() : null);
    }

    private void OnServerLost(Exception reason)
    {
        if (!_stopping)
        {
            _log.ServerLost(reason.Message);
        }

        Tell(static route => route.OnServerLost());
    }

    // One line for each reason, however often it is met: a server that is away for a day is asked some thousand times.
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
        Tell(static route => route.OnServerBack());
        _log.ServerBack(client.Server);
    }

    // A fault of one must not keep the others from being told.
    private void Tell(Action<BridgeRoute> what)
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
        // What differs from message to message stands in quotes.
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

    // On any thread.
    private void OnServerGone()
    {
        if (!_stopping)
        {
            _log.ServerGone();
        }
    }
}
