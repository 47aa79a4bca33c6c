namespace Broker.Cli.ServiceManagers;

/// <summary>The status of a service, as Windows reports it.</summary>
/// <param name="State">The state in SERVICE_STATUS: 1 stopped, 2 starting, 3 stopping, 4 running.</param>
/// <param name="ProcessId">The process id, or 0 if there is no process.</param>
/// <param name="ExitCode">
/// The Windows error or the program's exit code with which the service ended, or 0 for success.
/// </param>
/// <param name="CheckPoint">A counter that grows while a start or stop makes progress.</param>
internal readonly record struct ServiceReport(uint State, uint ProcessId, uint ExitCode, uint CheckPoint)
{
    public const uint Stopped = 1;
    public const uint Starting = 2;
    public const uint Running = 4;

    /// <summary>ERROR_SERVICE_NEVER_STARTED, the exit code of a service that was never started.</summary>
    public const uint NeverStarted = 1077;

    public string StateName => State switch
    {
        Stopped => "stopped",
        Starting => "starting",
        3 => "stopping",
        Running => "running",
        5 or 6 or 7 => "paused",
        _ => "unknown",
    };
}
