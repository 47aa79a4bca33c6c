using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting;

/// <summary>
/// This process as a Windows service. A host uses it through
/// <see cref="BrokerWindowsServices.AddBrokerWindowsService"/>. A program without a host calls <see cref="Connect"/>,
/// calls <see cref="Running"/> when it serves clients, calls <see cref="Stopping"/> every few seconds while it stops,
/// and calls <see cref="Stopped"/> at its very end. Thread-safe.
/// </summary>
[SupportedOSPlatform("windows")]
public sealed unsafe class WindowsService : IDisposable
{
    private readonly string _name;
    private readonly ServiceLife _life;

    // These fields keep the delegates alive, because Windows stores only their addresses.
    private readonly NativeService.ServiceMain _main;
    private readonly NativeService.ControlHandler _handler;
    private readonly ManualResetEventSlim _connected = new();
    private readonly ManualResetEventSlim _ended = new();
    private nint _handle;
    private int _error;

    private WindowsService(string name, Action<ServiceRequest> onRequest)
    {
        _name = name;
        _life = new ServiceLife(Report, onRequest);
        _main = Main;
        _handler = Handle;
    }

    /// <summary>
    /// Connects to the service control manager, which then shows the service as starting. Call this method soon after
    /// the start of the process, because Windows waits only 30 s for it.
    /// </summary>
    /// <param name="name">The name under which the service is installed.</param>
    /// <param name="onRequest">
    /// Receives each request, on one thread for all requests. The callback must not block.
    /// </param>
    /// <returns>The service; null if the process was not started as a service.</returns>
    /// <exception cref="Win32Exception">Windows has refused the connection.</exception>
    public static WindowsService? Connect(string name, Action<ServiceRequest> onRequest)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(onRequest);
        var service = new WindowsService(name, onRequest);
        // The dispatcher blocks its thread until the service has stopped.
        new Thread(service.Dispatch) { IsBackground = true, Name = "service control" }.Start();
        service._connected.Wait();
        return service._error switch
        {
            0 => service,
            NativeService.NotStartedAsService => null,
            int error => throw new Win32Exception(error),
        };
    }

    /// <summary>Reports that the service runs. From now on Windows can send stop and reload requests.</summary>
    public void Running() => _life.Running();

    /// <summary>
    /// Reports that the service is still stopping. If there is no report for 30 s, Windows treats the service as hung.
    /// </summary>
    public void Stopping() => _life.Stopping();

    /// <summary>
    /// Reports that the service has stopped. Windows may end the process during this call, so do nothing after it.
    /// Later calls do nothing.
    /// </summary>
    /// <param name="exitCode">
    /// A code other than 0 triggers the recovery actions of the service, unless Windows has requested the stop.
    /// </param>
    public void Stopped(int exitCode)
    {
        _life.Stopped(exitCode);
        _ended.Set();
    }

    /// <summary>
    /// Calls <see cref="Stopped"/> with a failure code. If the stop was already reported, this has no effect.
    /// </summary>
    public void Dispose() => Stopped(1);

    private void Dispatch()
    {
        fixed (char* name = _name)
        {
            NativeService.TableEntry* table = stackalloc NativeService.TableEntry[2];
            table[0] = new NativeService.TableEntry { Name = name, Main = Marshal.GetFunctionPointerForDelegate(_main) };
            table[1] = default;
            if (!NativeService.StartDispatcher(table))
            {
                _error = Marshal.GetLastPInvokeError();
                _connected.Set();
            }
        }
    }

    private void Main(uint count, nint arguments)
    {
        _handle = NativeService.RegisterHandler(_name, Marshal.GetFunctionPointerForDelegate(_handler), 0);
        if (_handle == 0)
        {
            _error = Marshal.GetLastPInvokeError();
            _connected.Set();
            return;
        }

        _life.Starting();
        _connected.Set();
        _ended.Wait();
    }

    private uint Handle(uint control, uint eventType, nint eventData, nint context) => _life.Handle(control);

    private void Report(ServiceStatus status)
    {
        var native = new NativeService.Status
        {
            Type = NativeService.OwnProcess,
            State = (uint)status.State,
            Accepted = status.Accepted,
            ExitCode = status.ExitCode,
            SpecificExitCode = status.SpecificExitCode,
            CheckPoint = status.CheckPoint,
            WaitHint = status.WaitHint,
        };
        // The call fails if the service control manager has ended. Then nobody can receive the error.
        _ = NativeService.SetStatus(_handle, native);
    }
}
