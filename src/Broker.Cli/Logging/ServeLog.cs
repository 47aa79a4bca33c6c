using Broker.Cli.Terminal;
using Broker.Hosting;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>
/// Writes the events of a run to the log, if the log is a file or the event log. Otherwise only the terminal would show
/// these events.
/// </summary>
internal sealed partial class ServeLog(ILogger logger) : IServeObserver
{
    private bool _isStopping;

    public void OnStarted(ServeAddresses addresses, ServeSettings settings)
    {
        foreach (string line in WelcomeText.Addresses(addresses, settings))
        {
            Serving(logger, line.TrimStart());
        }
    }

    public void OnReloaded(IReadOnlyList<string> problems)
    {
        foreach (string problem in problems)
        {
            Problem(logger, $"cannot reload: {problem}");
        }
    }

    public void OnProblem(string problem) => Problem(logger, problem);

    public void OnStopping(ServeStop stop)
    {
        if (!_isStopping)
        {
            _isStopping = true;
            Stopping(logger, stop.Backlog.Clients, stop.Backlog.Bytes, Duration.Format(stop.Left));
        }
    }

    public void OnStopped(ServeResult result)
    {
        if (result.Problem is { } problem)
        {
            Problem(logger, problem);
        }
        else if (result.Undelivered != 0)
        {
            Undelivered(logger, result.Undelivered);
        }
        else
        {
            Delivered(logger);
        }
    }

    [LoggerMessage(201, LogLevel.Information, "{Line}")]
    private static partial void Serving(ILogger logger, string line);

    [LoggerMessage(202, LogLevel.Error, "{Text}")]
    private static partial void Problem(ILogger logger, string text);

    [LoggerMessage(203, LogLevel.Information, "stopping: {Clients} clients, {Bytes} bytes queued, delivering for {Most} at most")]
    private static partial void Stopping(ILogger logger, int clients, long bytes, string most);

    [LoggerMessage(204, LogLevel.Information, "stopped: everything was delivered")]
    private static partial void Delivered(ILogger logger);

    [LoggerMessage(205, LogLevel.Error, "stopped: {Messages} messages were not delivered")]
    private static partial void Undelivered(ILogger logger, long messages);
}
