using System.Runtime.InteropServices;

namespace Broker.Cli.Serving;

/// <summary>
/// Turns Ctrl+C, SIGTERM, the closing of a console, and on Unix SIGHUP, SIGUSR1 and SIGUSR2 into requests, with the meanings
/// that nats-server gives them. A second Ctrl+C ends the process at once.
/// </summary>
internal sealed class ServeSignals : IDisposable
{
    private readonly ServeControl _control;
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ServeSignals(ServeControl control)
    {
        _control = control;
        foreach (var signal in (ReadOnlySpan<PosixSignal>)[PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGQUIT])
            _registrations.Add(PosixSignalRegistration.Create(signal, Stop));
        if (OperatingSystem.IsWindows())
            return;
        Register(PosixSignal.SIGHUP, ControlRequest.Reload);
        Register((PosixSignal)UnixSignals.User1, ControlRequest.ReopenLog);
        Register((PosixSignal)UnixSignals.User2, ControlRequest.LameDuck);
    }

    public void Dispose()
    {
        foreach (var registration in _registrations)
            registration.Dispose();
    }

    private void Register(PosixSignal signal, ControlRequest request) =>
        _registrations.Add(PosixSignalRegistration.Create(signal, context =>
        {
            context.Cancel = true;
            _control.Request(request);
        }));

    private void Stop(PosixSignalContext context)
    {
        context.Cancel = true;
        if (!_control.RequestStop() && context.Signal == PosixSignal.SIGINT)
            Environment.Exit(ExitCode.Interrupted);
    }
}
