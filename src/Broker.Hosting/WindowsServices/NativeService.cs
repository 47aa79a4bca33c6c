using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Broker.Hosting;

/// <summary>The native functions for services (winsvc.h).</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class NativeService
{
    /// <summary>
    /// ERROR_FAILED_SERVICE_CONTROLLER_CONNECT: the service control manager did not start this process.
    /// </summary>
    internal const int NotStartedAsService = 1063;

    /// <summary>SERVICE_WIN32_OWN_PROCESS.</summary>
    internal const uint OwnProcess = 0x10;

    [UnmanagedFunctionPointer(CallingConvention.Winapi)]
    internal delegate void ServiceMain(uint count, nint arguments);

    [UnmanagedFunctionPointer(CallingConvention.Winapi)]
    internal delegate uint ControlHandler(uint control, uint eventType, nint eventData, nint context);

    [LibraryImport("advapi32.dll", EntryPoint = "StartServiceCtrlDispatcherW", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool StartDispatcher(TableEntry* table);

    [LibraryImport("advapi32.dll", EntryPoint = "RegisterServiceCtrlHandlerExW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial nint RegisterHandler(string name, nint handler, nint context);

    [LibraryImport("advapi32.dll", EntryPoint = "SetServiceStatus", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool SetStatus(nint service, in Status status);

    [StructLayout(LayoutKind.Sequential)]
    internal struct TableEntry
    {
        internal char* Name;
        internal nint Main;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Status
    {
        internal uint Type;
        internal uint State;
        internal uint Accepted;
        internal uint ExitCode;
        internal uint SpecificExitCode;
        internal uint CheckPoint;
        internal uint WaitHint;
    }
}
