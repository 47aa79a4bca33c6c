using System.Runtime.Versioning;
using Broker.Hosting;

namespace Broker.Cli.ServiceManagers;

/// <summary>
/// Reports the start and the stop of a run to Windows. The caller of the run reports that the run has ended, after all
/// work is done.
/// </summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsServiceObserver(WindowsService service) : IServeObserver
{
    public void OnStarted(ServeAddresses addresses, ServeSettings settings) => service.Running();

    // Called once a second; each call increments the checkpoint.
    public void OnStopping(ServeStop stop) => service.Stopping();
}
