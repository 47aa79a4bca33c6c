using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>Chooses the poller for the operating system.</summary>
internal static class SystemPoller
{
    internal const string PortableSwitch = "Broker.Transport.ForcePortable";

    internal static Poller Create(bool forcePortable)
        => OperatingSystem.IsLinux() && !forcePortable && !(AppContext.TryGetSwitch(PortableSwitch, out bool all) && all)
            && EpollLayout.IsKnown(RuntimeInformation.ProcessArchitecture)
            ? new EpollPoller()
            : new PortablePoller();
}
