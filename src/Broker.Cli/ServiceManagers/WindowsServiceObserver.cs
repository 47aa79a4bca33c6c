using System.Runtime.Versioning;
using Broker.Hosting;

namespace Broker.Cli.ServiceManagers;

/// <summary>Tells Windows how a run goes. That it has ended is said by who runs it, once nothing is left to be done.</summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsServiceObserver(WindowsService service) : IServeObserver
{
    public void OnStarted(ServeAddresses addresses, ServeSettings settings) => service.Running();

    // Once a second, each time a checkpoint further.
    public void OnStopping(ServeStop stop) => service.Stopping();
}
