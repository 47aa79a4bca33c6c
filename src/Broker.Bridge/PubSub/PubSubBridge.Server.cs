namespace Broker.Bridge.PubSub;

// The NATS side comes and goes. On the client's loop, save where it is said.
public sealed partial class PubSubBridge
{
    private const int MostServerErrors = 16;

    // The kinds that have been logged since the last connect. A server complains of every message that it does not permit.
    private readonly HashSet<string> _serverErrors = new(StringComparer.Ordinal);

    private string? _lastFailure;

    private void OnServerLost(Exception reason)
    {
        if (!_stopping)
        {
            _log.ServerLost(reason.Message);
        }

        DropHeld();
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

    private void OnServerBack()
    {
        // What was asked for meanwhile.
        DropHeld();
        _serverErrors.Clear();
        _filterRefused = false;
        _lastFailure = null;
        var commands = new Commands(this);
        _interest.ConnectionReset(ref commands);
        SendCommands();
        _log.ServerBack(_interest.SubscriptionCount);
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
