using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Cli.Serving;

/// <summary>
/// Forwards events to all observers of a run. An exception of one observer does not affect the others or the run.
/// </summary>
internal sealed partial class ServeObservers(IEnumerable<IServeObserver> observers) : IServeObserver
{
    private readonly Lock _gate = new();
    private readonly List<IServeObserver> _observers = [.. observers];

    /// <summary>The logger for exceptions of observers.</summary>
    public ILogger Logger { get; set; } = NullLogger.Instance;

    public void Add(IServeObserver observer)
    {
        lock (_gate)
        {
            _observers.Add(observer);
        }
    }

    public void OnStarted(ServeAddresses addresses, ServeSettings settings) => Tell(o => o.OnStarted(addresses, settings));

    public void OnCounts(ServeCounts counts) => Tell(o => o.OnCounts(counts));

    public void OnReloading() => Tell(static o => o.OnReloading());

    public void OnReloaded(IReadOnlyList<string> problems) => Tell(o => o.OnReloaded(problems));

    public void OnProblem(string problem) => Tell(o => o.OnProblem(problem));

    public void OnLameDuck(TimeSpan within) => Tell(o => o.OnLameDuck(within));

    public void OnStopping(ServeStop stop) => Tell(o => o.OnStopping(stop));

    public void OnStopped(ServeResult result) => Tell(o => o.OnStopped(result));

    private void Tell(Action<IServeObserver> what)
    {
        lock (_gate)
        {
            foreach (IServeObserver observer in _observers)
            {
                try
                {
                    what(observer);
                }
                catch (Exception e) when (e is not OutOfMemoryException)
                {
                    ObserverFailed(Logger, e, observer.GetType().Name);
                }
            }
        }
    }

    [LoggerMessage(206, LogLevel.Error, "{Observer} threw an exception when it was notified")]
    private static partial void ObserverFailed(ILogger logger, Exception error, string observer);
}
