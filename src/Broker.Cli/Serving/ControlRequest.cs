namespace Broker.Cli.Serving;

/// <summary>A request to a running broker, other than a stop.</summary>
internal enum ControlRequest
{
    /// <summary>Reload the configuration (SIGHUP).</summary>
    Reload,

    /// <summary>Reopen the log file after it was renamed (SIGUSR1).</summary>
    ReopenLog,

    /// <summary>
    /// Ask clients to connect to other servers, close the remaining clients gradually, then stop (SIGUSR2).
    /// </summary>
    LameDuck,
}
