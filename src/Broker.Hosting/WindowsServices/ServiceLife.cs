namespace Broker.Hosting;

/// <summary>
/// The life of a service as Windows sees it: which status follows which, and what is answered to a control. Apart from the calls of
/// Windows, so that every control can be given to it by a test. Thread-safe.
/// </summary>
/// <param name="report">Given each status, in order. Called under a lock: it must not call back.</param>
/// <param name="request">Given what is asked for, on the thread that controls come by, outside the lock.</param>
internal sealed class ServiceLife(Action<ServiceStatus> report, Action<ServiceRequest> request)
{
    /// <summary>ERROR_SERVICE_SPECIFIC_ERROR.</summary>
    internal const uint SpecificError = 1066;

    /// <summary>ERROR_CALL_NOT_IMPLEMENTED, the answer to a control that is not handled.</summary>
    internal const uint NotImplemented = 120;

    internal const uint ControlStop = 1;
    internal const uint ControlInterrogate = 4;
    internal const uint ControlShutdown = 5;
    internal const uint ControlParamChange = 6;
    internal const uint ControlPreShutdown = 15;

    internal const uint AcceptStop = 0x1;
    internal const uint AcceptShutdown = 0x4;
    internal const uint AcceptParamChange = 0x8;
    internal const uint AcceptPreShutdown = 0x100;

    // Windows takes a service for hung that says nothing for so long, not one that needs long.
    private static readonly TimeSpan Hint = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private ServiceStatus _last;
    private bool _isStopAsked;

    internal void Starting() => Pending(ServiceState.StartPending, Hint);

    internal void Running() => Report(
        new ServiceStatus(ServiceState.Running, AcceptStop | AcceptShutdown | AcceptPreShutdown | AcceptParamChange, 0, 0, 0, 0));

    /// <summary>Still stopping: one checkpoint further.</summary>
    internal void Stopping() => Pending(ServiceState.StopPending, Hint);

    /// <summary>The last report.</summary>
    /// <param name="exitCode">
    /// Other than 0 makes the recovery actions fire, but after a stop that was asked for: restarting what somebody has stopped is no
    /// recovery. Such a code is in the event log and the process answers it.
    /// </param>
    internal void Stopped(int exitCode)
    {
        lock (_gate)
        {
            uint code = _isStopAsked ? 0 : (uint)exitCode;
            ReportLocked(new ServiceStatus(ServiceState.Stopped, 0, code == 0 ? 0 : SpecificError, code, 0, 0));
        }
    }

    /// <summary>Answers a control, at once: the work is done elsewhere.</summary>
    internal uint Handle(uint control)
    {
        switch (control)
        {
            case ControlInterrogate:
                lock (_gate)
                {
                    report(_last);
                }

                return 0;
            case ControlStop or ControlShutdown or ControlPreShutdown:
                lock (_gate)
                {
                    if (_isStopAsked)
                    {
                        return 0;
                    }

                    // Before the request: who asks is told by the answer's status that it is on its way.
                    _isStopAsked = true;
                    PendingLocked(ServiceState.StopPending, Hint);
                }

                request(ServiceRequest.Stop);
                return 0;
            case ControlParamChange:
                request(ServiceRequest.Reload);
                return 0;
            default:
                return NotImplemented;
        }
    }

    private void Pending(ServiceState state, TimeSpan hint)
    {
        lock (_gate)
        {
            PendingLocked(state, hint);
        }
    }

    private void PendingLocked(ServiceState state, TimeSpan hint)
        => ReportLocked(new ServiceStatus(state, 0, 0, 0, _last.State == state ? _last.CheckPoint + 1 : 1, (uint)hint.TotalMilliseconds));

    private void Report(in ServiceStatus status)
    {
        lock (_gate)
        {
            ReportLocked(status);
        }
    }

    private void ReportLocked(in ServiceStatus status)
    {
        bool isBack = status.State == ServiceState.Running && _last.State == ServiceState.StopPending;
        // After the last report the process may be gone, and a service that stops does not run again.
        if (_last.State != ServiceState.Stopped && !isBack)
        {
            _last = status;
            report(status);
        }
    }
}
