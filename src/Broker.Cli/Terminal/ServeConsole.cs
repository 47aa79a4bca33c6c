using System.Globalization;
using Broker.Hosting;

namespace Broker.Cli.Terminal;

/// <summary>
/// Shows the events of a run on the terminal. If there is a log file, the addresses and counts are not shown, as in
/// nats-server; the log file contains the addresses.
/// </summary>
internal sealed class ServeConsole : IServeObserver, IDisposable
{
    private enum Kind
    {
        Line,
        Error,
        Status,
        EndOfStatus,
    }

    private readonly Screen _screen;
    private readonly bool _isReserved;
    private readonly bool _withZeroMq;
    private readonly bool _isBridgeAlone;

    // Ctrl+S can stop a terminal, and a pipe can be full. The queues keep serving and stopping from waiting for them.
    private readonly OutputQueue<(Kind Kind, string Text)> _lines;
    private readonly OutputQueue<(Kind Kind, string Text)> _errors;
    private bool _isStopping;

    public ServeConsole(Screen screen, ServeSettings settings)
    {
        _screen = screen;
        _isReserved = settings.LogFile is not null;
        _withZeroMq = settings.ZeroMq is not null;
        _isBridgeAlone = settings.IsBridgeAlone;
        _lines = new OutputQueue<(Kind, string)>(Show, static late => (Kind.Line, Late(late)), screen.TellLost);
        _errors = screen.IsTerminal
            ? _lines
            : new OutputQueue<(Kind, string)>(Show, static late => (Kind.Error, Late(late)), static () => { });
    }

    public void OnStarted(ServeAddresses addresses, ServeSettings settings)
    {
        if (_isReserved)
        {
            return;
        }

        foreach (string line in WelcomeText.Of(addresses, settings))
        {
            Say(line);
        }
    }

    public void OnCounts(ServeCounts counts)
    {
        if (!_isReserved)
        {
            Say(_isBridgeAlone ? StatusText.OfBridge(counts) : StatusText.Of(counts, _withZeroMq), Kind.Status);
        }
    }

    public void OnReloaded(IReadOnlyList<string> problems)
    {
        if (problems.Count == 0)
        {
            Say("the configuration was reloaded");
        }

        foreach (string problem in problems)
        {
            Complain($"cannot reload: {problem}");
        }
    }

    public void OnProblem(string problem) => Complain(problem);

    public void OnLameDuck(TimeSpan within)
        => Say($"lame duck mode: clients are asked to reconnect to other servers, within {Duration.Format(within)}");

    public void OnStopping(ServeStop stop)
    {
        if (!_isStopping)
        {
            _isStopping = true;
            Say("", Kind.EndOfStatus);
            string time = Duration.Format(stop.Left);
            Say($"stopping: delivering queued messages, for {time} at most (Ctrl+C again stops at once)");
        }
        else if (_screen.IsTerminal)
        {
            Say(StatusText.Of(stop), Kind.Status);
        }
    }

    public void OnStopped(ServeResult result)
    {
        Say("", Kind.EndOfStatus);
        if (result.Problem is { } problem)
        {
            Complain(problem);
        }
        else if (result.Undelivered != 0)
        {
            string messages = result.Undelivered == 1 ? "message" : "messages";
            Complain(string.Create(CultureInfo.InvariantCulture, $"stopped with {result.Undelivered} undelivered {messages}"));
        }
        else if (_isStopping)
        {
            Say("stopped: everything was delivered");
        }
    }

    /// <summary>Writes the queued lines, for a few seconds at most.</summary>
    public void Dispose()
    {
        _lines.Dispose();
        _errors.Dispose();
    }

    private static string Late(long count) => $"broker: {count} lines were lost, because they came faster than they could be written";

    private void Say(string text, Kind kind = Kind.Line) => _lines.Add((kind, text));

    private void Complain(string text) => _errors.Add((Kind.Error, "broker: " + SafeText.OneLine(text)));

    private void Show((Kind Kind, string Text) item)
    {
        switch (item.Kind)
        {
            case Kind.Line:
                _screen.WriteLine(item.Text);
                break;
            case Kind.Error:
                _screen.WriteErrorLine(item.Text);
                break;
            case Kind.Status:
                _screen.ShowStatus(item.Text);
                break;
            default:
                _screen.EndStatus();
                break;
        }
    }
}
