namespace Broker.Hosting;

/// <summary>
/// The state machine of a Windows service: the order of its statuses, and its answers to controls. This class makes no
/// native call, so a test can send it every control. Thread-safe.
/// </summary>
/// <param name="report">
/// Receives each status, in order. The call holds the lock of this object, so the callback must not call this object.
/// </param>
/// <param name="request">
/// Receives each request on the thread of the control handler. The call does not hold the lock.
/// </param>
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

    // Windows treats a service as hung if it reports no progress for this time. A slow stop is not hung while it
    // reports.
    private static readonly TimeSpan Hint = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private ServiceStatus _last;
    private bool _isStopAsked;

    internal void Starting() => Pending(ServiceState.StartPending, Hint);

    internal void Running() => Report(
        new ServiceStatus(ServiceState.Running, AcceptStop | AcceptShutdown | AcceptPreShutdown | AcceptParamChange, 0, 0, 0, 0));

    /// <summary>Reports that the service is still stopping, with the next checkpoint.</summary>
    internal void Stopping() => Pending(ServiceState.StopPending, Hint);

    /// <summary>Reports that the service has stopped. This is the last report.</summary>
    /// <param name="exitCode">
    /// A code other than 0 triggers the service's recovery actions, unless a control requested the stop: a restart
    /// would undo this request. After a requested stop, the code is only in the event log and in the process's exit
    /// code.
    /// </param>
    internal void Stopped(int exitCode)
    {
        lock (_gate)
        {
            uint code = _isStopAsked ? 0 : (uint)exitCode;
            ReportLocked(new ServiceStatus(ServiceState.Stopped, 0, code == 0 ? 0 : SpecificError, code, 0, 0));
        }
    }

    /// <summary>Answers a control immediately. <c>request</c> must run the work on another thread.</summary>
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

                    // The status is reported before the request runs, so that the sender of the control sees a pending
                    // stop.
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
        // No report may follow the report of the stop, and a stopping service cannot return to running.
        if (_last.State != ServiceState.Stopped && !isBack)
        {
            _last = status;
            report(status);
        }
    }
}
