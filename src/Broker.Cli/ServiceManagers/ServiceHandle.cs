using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Broker.Cli.ServiceManagers;

/// <summary>A handle of the service control manager or of one of its services.</summary>
[SupportedOSPlatform("windows")]
internal sealed class ServiceHandle() : SafeHandleZeroOrMinusOneIsInvalid(ownsHandle: true)
{
    protected override bool ReleaseHandle() => NativeServiceManager.Close(handle);
}
