namespace Broker.Cli.Progress;

/// <summary>
/// Is told how a run of the broker goes, from the start to its result: the terminal, the log, a service manager, a test.
/// </summary>
/// <remarks>
/// Called one call at a time, from any thread. It must not block: serving and stopping wait for it. What it throws is logged and
/// changes nothing. <see cref="OnStopped"/> is the last call and always comes, also when nothing could be started.
/// </remarks>
internal interface IServeObserver
{
    /// <summary>All addresses accept connections.</summary>
    void OnStarted(ServeAddresses addresses, ServeSettings settings)
    {
    }

    /// <summary>The counts have changed. Once a second on a terminal, else every 10 s; not when the settings say quiet.</summary>
    void OnCounts(ServeCounts counts)
    {
    }

    /// <summary>The configuration is read again. Clients are served meanwhile.</summary>
    void OnReloading()
    {
    }

    /// <summary>The configuration was read again.</summary>
    /// <param name="problems">Why nothing has changed; empty when it was taken.</param>
    void OnReloaded(IReadOnlyList<string> problems)
    {
    }

    /// <summary>Something that was asked for could not be done, and serving goes on as before.</summary>
    void OnProblem(string problem)
    {
    }

    /// <summary>Clients are sent elsewhere within the time given, and the stop follows.</summary>
    void OnLameDuck(TimeSpan within)
    {
    }

    /// <summary>The stop has begun, and then once a second: how far it has come.</summary>
    void OnStopping(ServeStop stop)
    {
    }

    /// <summary>It is over.</summary>
    void OnStopped(ServeResult result)
    {
    }
}
