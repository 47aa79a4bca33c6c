using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Broker.Cli.ServiceManagers;

/// <summary>A handle to the service control manager or to a service.</summary>
[SupportedOSPlatform("windows")]
internal sealed class ServiceHandle() : SafeHandleZeroOrMinusOneIsInvalid(ownsHandle: true)
{
    protected override bool ReleaseHandle() => NativeServiceManager.Close(handle);
}
