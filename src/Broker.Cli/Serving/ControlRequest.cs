namespace Broker.Cli.Serving;

/// <summary>What a running broker may be asked for beside a stop.</summary>
internal enum ControlRequest
{
    /// <summary>Read the configuration again (SIGHUP).</summary>
    Reload,

    /// <summary>Open the log file anew, after somebody has moved it away (SIGUSR1).</summary>
    ReopenLog,

    /// <summary>Send clients elsewhere, without a rush, and then stop (SIGUSR2).</summary>
    LameDuck,
}
