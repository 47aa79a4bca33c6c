namespace Broker.Cli.ServiceManagers;

/// <summary>How a service is, as Windows knows.</summary>
/// <param name="State">SERVICE_STATUS's: 1 stopped, 2 starting, 3 stopping, 4 running.</param>
/// <param name="ProcessId">0 if there is none.</param>
/// <param name="ExitCode">Why it has stopped: an error of Windows, or the program's own code; 0 if all was well.</param>
/// <param name="CheckPoint">Grows while something is pending.</param>
internal readonly record struct ServiceReport(uint State, uint ProcessId, uint ExitCode, uint CheckPoint)
{
    public const uint Stopped = 1;
    public const uint Starting = 2;
    public const uint Running = 4;

    /// <summary>ERROR_SERVICE_NEVER_STARTED, which is the code of one that was not started yet.</summary>
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
