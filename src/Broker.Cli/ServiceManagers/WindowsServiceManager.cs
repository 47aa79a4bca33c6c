using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Broker.Cli.ServiceManagers;

/// <summary>Installs, controls and removes Windows services.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe class WindowsServiceManager
{
    // SERVICE_CONTROL_STOP and PARAMCHANGE.
    private const uint ControlStop = 1;
    private const uint ControlParamChange = 6;
    private const int AlreadyRunning = 1056;
    private const int NotActive = 1062;
    private const uint SpecificError = 1066;

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(50);

    // The maximum wait for a change of the checkpoint or the state.
    private static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Installs a service with recovery: if it fails, Windows restarts it after 1, 5 and then every 30 seconds. The
    /// count of failures is reset after a day.
    /// </summary>
    /// <param name="definition">The service to install.</param>
    /// <param name="warn">Receives warnings about settings that could not be set but are not required.</param>
    /// <exception cref="Win32Exception">Windows has refused the installation.</exception>
    public static void Install(ServiceDefinition definition, Action<string> warn)
    {
        using ServiceHandle manager = Manager(NativeServiceManager.ManagerConnect | NativeServiceManager.ManagerCreate);
        using ServiceHandle service = Checked(NativeServiceManager.Create(
            manager, definition.Name, definition.DisplayName, NativeServiceManager.AllAccess, NativeServiceManager.OwnProcess,
            definition.Start == ServiceStart.Demand ? NativeServiceManager.StartOnDemand : NativeServiceManager.StartAutomatic,
            NativeServiceManager.ErrorNormal, definition.CommandLine, null, 0, null, definition.Account, definition.Password));
        fixed (char* description = definition.Description)
        {
            char* text = description;
            Set(service, NativeServiceManager.ConfigDescription, &text, "description", warn);
        }

        SetRecovery(service, warn);
        uint milliseconds = (uint)definition.PreShutdown.TotalMilliseconds;
        Set(service, NativeServiceManager.ConfigPreShutdown, &milliseconds, "time for a shutdown", warn);
        if (definition.Start == ServiceStart.Delayed)
        {
            int delayed = 1;
            Set(service, NativeServiceManager.ConfigDelayedStart, &delayed, "delayed start", warn);
        }
    }

    /// <summary>Starts a service and waits until it is running or has ended.</summary>
    /// <exception cref="Win32Exception">Windows has refused the request.</exception>
    public static ServiceReport Start(string name)
    {
        using ServiceHandle manager = Manager(NativeServiceManager.ManagerConnect);
        using ServiceHandle service = Open(manager, name, NativeServiceManager.QueryStatus | NativeServiceManager.Start);
        if (!NativeServiceManager.StartService(service, 0, 0) && Marshal.GetLastPInvokeError() is var error and not AlreadyRunning)
        {
            throw new Win32Exception(error);
        }

        return WaitFor(service, ServiceReport.Running, ServiceReport.Stopped);
    }

    /// <summary>Stops a service and waits for its end, as long as it reports progress.</summary>
    /// <exception cref="Win32Exception">Windows has refused the request.</exception>
    public static ServiceReport Stop(string name)
    {
        using ServiceHandle manager = Manager(NativeServiceManager.ManagerConnect);
        using ServiceHandle service = Open(manager, name, NativeServiceManager.QueryStatus | NativeServiceManager.Stop);
        return Stop(service);
    }

    /// <summary>
    /// Makes a service reload its configuration. If the service is starting, this method waits until it runs.
    /// </summary>
    /// <exception cref="Win32Exception">
    /// Windows has refused the request, for example because the service is not running.
    /// </exception>
    public static void Reload(string name)
    {
        using ServiceHandle manager = Manager(NativeServiceManager.ManagerConnect);
        using ServiceHandle service = Open(manager, name, NativeServiceManager.QueryStatus | NativeServiceManager.PauseContinue);
        if (Query(service).State == ServiceReport.Starting)
        {
            // Windows accepts no control requests while a service is starting.
            WaitFor(service, ServiceReport.Running, ServiceReport.Stopped);
        }

        Control(service, ControlParamChange);
    }

    /// <exception cref="Win32Exception">Windows has refused the request.</exception>
    public static ServiceReport Status(string name)
    {
        using ServiceHandle manager = Manager(NativeServiceManager.ManagerConnect);
        using ServiceHandle service = Open(manager, name, NativeServiceManager.QueryStatus);
        return Query(service);
    }

    /// <summary>Stops a service if it is running, and removes it.</summary>
    /// <exception cref="Win32Exception">Windows has refused the request.</exception>
    public static void Uninstall(string name)
    {
        using ServiceHandle manager = Manager(NativeServiceManager.ManagerConnect);
        using ServiceHandle service = Open(
            manager, name, NativeServiceManager.QueryStatus | NativeServiceManager.Stop | NativeServiceManager.Delete);
        if (Query(service).State != ServiceReport.Stopped)
        {
            Stop(service);
        }

        Check(NativeServiceManager.DeleteService(service));
    }

    private static ServiceReport Stop(ServiceHandle service)
    {
        Control(service, ControlStop, NotActive);
        return WaitFor(service, ServiceReport.Stopped, ServiceReport.Stopped);
    }

    private static void SetRecovery(ServiceHandle service, Action<string> warn)
    {
        const uint Restart = 1;
        NativeServiceManager.FailureAction* actions = stackalloc NativeServiceManager.FailureAction[3];
        actions[0] = new NativeServiceManager.FailureAction { Type = Restart, Delay = 1_000 };
        actions[1] = new NativeServiceManager.FailureAction { Type = Restart, Delay = 5_000 };
        actions[2] = new NativeServiceManager.FailureAction { Type = Restart, Delay = 30_000 };
        var recovery = new NativeServiceManager.FailureActions { ResetPeriod = 24 * 60 * 60, Count = 3, Actions = actions };
        Set(service, NativeServiceManager.ConfigFailureActions, &recovery, "recovery", warn);
        // Without this flag, recovery only follows a crash, and not an exit code of a failed start.
        int alsoOnErrors = 1;
        Set(service, NativeServiceManager.ConfigFailureActionsFlag, &alsoOnErrors, "recovery after an exit code", warn);
    }

    private static void Set(ServiceHandle service, uint what, void* info, string name, Action<string> warn)
    {
        if (!NativeServiceManager.Change(service, what, info))
        {
            warn($"the {name} was not set: {new Win32Exception().Message}");
        }
    }

    // Waits until the service has one of two states, or has made no progress for StallTimeout. Returns the last status.
    private static ServiceReport WaitFor(ServiceHandle service, uint state, uint orState)
    {
        ServiceReport report = Query(service);
        long since = Environment.TickCount64;
        while (report.State != state && report.State != orState && Environment.TickCount64 - since < StallTimeout.TotalMilliseconds)
        {
            Thread.Sleep(PollInterval);
            ServiceReport next = Query(service);
            if (next.State != report.State || next.CheckPoint != report.CheckPoint)
            {
                since = Environment.TickCount64;
            }

            report = next;
        }

        return report;
    }

    private static ServiceReport Query(ServiceHandle service)
    {
        NativeServiceManager.ProcessStatus status;
        Check(NativeServiceManager.Query(service, 0, &status, (uint)sizeof(NativeServiceManager.ProcessStatus), out _));
        uint code = status.Status.ExitCode == SpecificError ? status.Status.SpecificExitCode : status.Status.ExitCode;
        return new ServiceReport(status.Status.State, status.ProcessId, code, status.Status.CheckPoint);
    }

    private static void Control(ServiceHandle service, uint control, int ignored = 0)
    {
        NativeServiceManager.Status status;
        if (!NativeServiceManager.Control(service, control, &status) && Marshal.GetLastPInvokeError() is var error && error != ignored)
        {
            throw new Win32Exception(error);
        }
    }

    private static ServiceHandle Manager(uint access) => Checked(NativeServiceManager.OpenManager(null, null, access));

    private static ServiceHandle Open(ServiceHandle manager, string name, uint access)
        => Checked(NativeServiceManager.Open(manager, name, access));

    private static ServiceHandle Checked(ServiceHandle handle)
    {
        if (!handle.IsInvalid)
        {
            return handle;
        }

        var reason = new Win32Exception();
        handle.Dispose();
        throw reason;
    }

    private static void Check(bool succeeded)
    {
        if (!succeeded)
        {
            throw new Win32Exception();
        }
    }
}
