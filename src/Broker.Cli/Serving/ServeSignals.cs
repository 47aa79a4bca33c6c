using System.Runtime.InteropServices;

namespace Broker.Cli.Serving;

/// <summary>
/// Converts signals to requests: Ctrl+C, SIGTERM, the closing of a console, and on Unix SIGHUP, SIGUSR1 and SIGUSR2.
/// Their meanings are those of nats-server. A second Ctrl+C ends the process at once.
/// </summary>
/// <remarks>
/// The signals are also handled if the parent process has set them to be ignored. A shell without job control ignores
/// SIGINT for background processes, and nohup ignores SIGHUP, but a user can still send both on purpose. nats-server
/// does the same.
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
        // Without a handler, a log file that reaches the file size limit would end the process. With a handler, the
        // write fails.
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
