using System.Runtime.CompilerServices;

namespace Broker.TestKit;

/// <summary>
/// A whole suite on the portable poller, by BROKER_PORTABLE_POLLER=true. In each suite and before anything else of it, for the loops that
/// nobody makes by hand too.
/// </summary>
internal static class PollerSwitch
{
    [ModuleInitializer]
    internal static void Set() => AppContext.SetSwitch("Broker.Transport.ForcePortable", Environment.GetEnvironmentVariable("BROKER_PORTABLE_POLLER") == "true");
}
