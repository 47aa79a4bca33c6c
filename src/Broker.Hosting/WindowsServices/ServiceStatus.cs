namespace Broker.Hosting;

/// <summary>What the service control manager is told: the members of SERVICE_STATUS that change.</summary>
/// <param name="State">How far it is.</param>
/// <param name="Accepted">Which controls may come: bits of SERVICE_ACCEPT.</param>
/// <param name="ExitCode">An error of Windows, 0 for none; <see cref="ServiceLife.SpecificError"/> says that the other one counts.</param>
/// <param name="SpecificExitCode">The program's own.</param>
/// <param name="CheckPoint">Grows while something is pending.</param>
/// <param name="WaitHint">How soon the next report is to be expected, in milliseconds.</param>
internal readonly record struct ServiceStatus(
    ServiceState State, uint Accepted, uint ExitCode, uint SpecificExitCode, uint CheckPoint, uint WaitHint);
