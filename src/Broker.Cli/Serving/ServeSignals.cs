using System.Runtime.InteropServices;

namespace Broker.Cli.Serving;

/// <summary>
/// Turns Ctrl+C, SIGTERM, the closing of a console, and on Unix SIGHUP, SIGUSR1 and SIGUSR2 into requests, with the meanings
/// that nats-server gives them. A second Ctrl+C ends the process at once.
/// </summary>
/// <remarks>
/// They are taken also where whoever started the process had them ignored: a shell without job control does that with SIGINT for
/// what it runs in the background, and nohup with SIGHUP, and both may still be sent on purpose. nats-server does the same.
/// </remarks>
internal sealed class ServeSignals : IDisposable
{
    private readonly ServeControl _control;
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ServeSignals(ServeControl control)
    {
        _control = control;
        if (OperatingSystem.IsWindows())
        {
            Register(Stop, PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGQUIT);
            return;
        }

        UnixSignals.Unignore(
            UnixSignals.Interrupt, UnixSignals.Quit, UnixSignals.Terminate, UnixSignals.HangUp, UnixSignals.User1, UnixSignals.User2);
        Register(Stop, PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGQUIT);
        Register(Ask(ControlRequest.Reload), PosixSignal.SIGHUP);
        Register(Ask(ControlRequest.ReopenLog), (PosixSignal)UnixSignals.User1);
        Register(Ask(ControlRequest.LameDuck), (PosixSignal)UnixSignals.User2);
        // Without a handler a log that reaches the limit of file sizes would end the process; with one the write fails.
        Register(static context => context.Cancel = true, (PosixSignal)UnixSignals.FileSizeExceeded);
    }

    public void Dispose()
    {
        foreach (PosixSignalRegistration registration in _registrations)
        {
            registration.Dispose();
        }
    }

    private Action<PosixSignalContext> Ask(ControlRequest request) => context =>
    {
        context.Cancel = true;
        _control.Request(request);
    };

    private void Register(Action<PosixSignalContext> handler, params ReadOnlySpan<PosixSignal> signals)
    {
        foreach (PosixSignal signal in signals)
        {
            _registrations.Add(PosixSignalRegistration.Create(signal, handler));
        }
    }

    private void Stop(PosixSignalContext context)
    {
        context.Cancel = true;
        if (!_control.RequestStop() && context.Signal == PosixSignal.SIGINT)
        {
            Environment.Exit(ExitCode.Interrupted);
        }
    }
}
