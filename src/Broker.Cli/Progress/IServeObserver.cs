namespace Broker.Cli.Progress;

/// <summary>
/// Receives the events of a run of the broker, from the start to the result. Observers are the terminal, the log, a
/// service manager or a test.
/// </summary>
/// <remarks>
/// Calls come from any thread, but never two at a time. A method must not block, because serving and stopping wait for
/// it. An exception is logged and has no other effect. <see cref="OnStopped"/> is always called last, also if the start
/// failed.
/// </remarks>
internal interface IServeObserver
{
    /// <summary>The start has succeeded; all addresses accept connections.</summary>
    void OnStarted(ServeAddresses addresses, ServeSettings settings)
    {
    }

    /// <summary>
    /// The counts have changed. Called at most once a second on a terminal, otherwise every 10 seconds, and never if
    /// the settings are quiet.
    /// </summary>
    void OnCounts(ServeCounts counts)
    {
    }

    /// <summary>A reload of the configuration has begun. Clients are still served.</summary>
    void OnReloading()
    {
    }

    /// <summary>A reload of the configuration has ended.</summary>
    /// <param name="problems">The reasons why nothing has changed, or empty if the new configuration is in use.</param>
    void OnReloaded(IReadOnlyList<string> problems)
    {
    }

    /// <summary>A request failed. Serving continues as before.</summary>
    void OnProblem(string problem)
    {
    }

    /// <summary>Lame duck mode has begun. It ends within the given time, and the stop follows.</summary>
    void OnLameDuck(TimeSpan within)
    {
    }

    /// <summary>The stop has begun. The method is called again once a second, with the progress of the stop.</summary>
    void OnStopping(ServeStop stop)
    {
    }

    /// <summary>The run has ended.</summary>
    void OnStopped(ServeResult result)
    {
    }
}
