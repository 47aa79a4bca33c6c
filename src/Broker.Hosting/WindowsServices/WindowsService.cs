using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting;

/// <summary>
/// This process as a Windows service. <see cref="BrokerWindowsServices.AddBrokerWindowsService"/> does this for a host; who runs without
/// one connects by hand, says <see cref="Running"/> when it serves, <see cref="Stopping"/> every few seconds while it stops, and
/// <see cref="Stopped"/> as the very last thing. Thread-safe.
/// </summary>
[SupportedOSPlatform("windows")]
public sealed unsafe class WindowsService : IDisposable
{
    private readonly string _name;
    private readonly ServiceLife _life;

    // Held here, since Windows keeps nothing but their addresses.
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
    /// Connects to the service control manager, which takes the service for starting from then on. To be called soon after the start
    /// of the process: it is waited for 30 s.
    /// </summary>
    /// <param name="name">That of the service, as it was installed.</param>
    /// <param name="onRequest">Is told what is asked for, on a thread of its own for all of them; it must not block.</param>
    /// <returns>Null if the process was not started as a service.</returns>
    /// <exception cref="Win32Exception">Windows has refused it.</exception>
    public static WindowsService? Connect(string name, Action<ServiceRequest> onRequest)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(onRequest);
        var service = new WindowsService(name, onRequest);
        // The dispatcher keeps its thread until the service has ended.
        new Thread(service.Dispatch) { IsBackground = true, Name = "service control" }.Start();
        service._connected.Wait();
        return service._error switch
        {
            0 => service,
            NativeService.NotStartedAsService => null,
            int error => throw new Win32Exception(error),
        };
    }

    /// <summary>It serves. Stop and reload are asked for from now on.</summary>
    public void Running() => _life.Running();

    /// <summary>It is stopping still; without such a word Windows takes it for hung after 30 s.</summary>
    public void Stopping() => _life.Stopping();

    /// <summary>
    /// It has ended. The process may be ended by this call: nothing is to be done after it. Later calls do nothing.
    /// </summary>
    /// <param name="exitCode">
    /// Other than 0 makes the recovery actions of the service fire, unless Windows itself has asked for the stop.
    /// </param>
    public void Stopped(int exitCode)
    {
        _life.Stopped(exitCode);
        _ended.Set();
    }

    /// <summary>The same as <see cref="Stopped"/> with a failure, if that was not said.</summary>
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
        // It fails when the manager is gone, and there is nobody left to be told.
        _ = NativeService.SetStatus(_handle, native);
    }
}
