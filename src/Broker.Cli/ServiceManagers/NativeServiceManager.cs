using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Broker.Cli.ServiceManagers;

/// <summary>The Windows functions that install and control services (winsvc.h).</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class NativeServiceManager
{
    internal const uint ManagerConnect = 0x1;
    internal const uint ManagerCreate = 0x2;
    internal const uint QueryStatus = 0x4;
    internal const uint Start = 0x10;
    internal const uint Stop = 0x20;
    internal const uint PauseContinue = 0x40;
    internal const uint Delete = 0x10000;
    internal const uint AllAccess = 0xF01FF;

    internal const uint OwnProcess = 0x10;
    internal const uint StartAutomatic = 2;
    internal const uint StartOnDemand = 3;
    internal const uint ErrorNormal = 1;

    internal const uint ConfigDescription = 1;
    internal const uint ConfigFailureActions = 2;
    internal const uint ConfigDelayedStart = 3;
    internal const uint ConfigFailureActionsFlag = 4;
    internal const uint ConfigPreShutdown = 7;

    [LibraryImport("advapi32.dll", EntryPoint = "OpenSCManagerW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial ServiceHandle OpenManager(string? machine, string? database, uint access);

    [LibraryImport("advapi32.dll", EntryPoint = "CreateServiceW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial ServiceHandle Create(
        ServiceHandle manager, string name, string displayName, uint access, uint type, uint start, uint errorControl,
        string commandLine, string? group, nint tag, string? dependencies, string? account, string? password);

    [LibraryImport("advapi32.dll", EntryPoint = "OpenServiceW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial ServiceHandle Open(ServiceHandle manager, string name, uint access);

    [LibraryImport("advapi32.dll", EntryPoint = "ChangeServiceConfig2W", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool Change(ServiceHandle service, uint what, void* info);

    [LibraryImport("advapi32.dll", EntryPoint = "StartServiceW", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool StartService(ServiceHandle service, uint count, nint arguments);

    [LibraryImport("advapi32.dll", EntryPoint = "ControlService", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool Control(ServiceHandle service, uint control, Status* status);

    [LibraryImport("advapi32.dll", EntryPoint = "QueryServiceStatusEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool Query(ServiceHandle service, uint level, ProcessStatus* status, uint size, out uint needed);

    [LibraryImport("advapi32.dll", EntryPoint = "DeleteService", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool DeleteService(ServiceHandle service);

    [LibraryImport("advapi32.dll", EntryPoint = "CloseServiceHandle")]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool Close(nint handle);

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

    [StructLayout(LayoutKind.Sequential)]
    internal struct ProcessStatus
    {
        internal Status Status;
        internal uint ProcessId;
        internal uint Flags;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct FailureActions
    {
        internal uint ResetPeriod;
        internal char* RebootMessage;
        internal char* Command;
        internal uint Count;
        internal FailureAction* Actions;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct FailureAction
    {
        internal uint Type;
        internal uint Delay;
    }
}
