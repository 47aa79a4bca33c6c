using System.Runtime.CompilerServices;

namespace Broker.TestKit;

/// <summary>
/// Runs a whole suite on the portable poller if BROKER_PORTABLE_POLLER is true. It is a module initializer of each
/// suite, so that it also affects loops that are created by default.
/// </summary>
internal static class PollerSwitch
{
    [ModuleInitializer]
    internal static void Set() => AppContext.SetSwitch("Broker.Transport.ForcePortable", Environment.GetEnvironmentVariable("BROKER_PORTABLE_POLLER") == "true");
}
