namespace Broker.Hosting;

/// <summary>The members of SERVICE_STATUS that change. The service control manager receives them.</summary>
/// <param name="State">The service's state.</param>
/// <param name="Accepted">The accepted controls: bits of SERVICE_ACCEPT.</param>
/// <param name="ExitCode">
/// A Windows error code, or 0. <see cref="ServiceLife.SpecificError"/> means that <see cref="SpecificExitCode"/>
/// contains the code.
/// </param>
/// <param name="SpecificExitCode">The program's own exit code.</param>
/// <param name="CheckPoint">A number that grows with each report while a start or a stop is pending.</param>
/// <param name="WaitHint">The longest time until the next report, in milliseconds.</param>
internal readonly record struct ServiceStatus(
    ServiceState State, uint Accepted, uint ExitCode, uint SpecificExitCode, uint CheckPoint, uint WaitHint);
