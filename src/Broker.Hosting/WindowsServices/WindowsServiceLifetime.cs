using System.Runtime.Versioning;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting;

/// <summary>
/// The lifetime of a host that runs as a Windows service. In a process that is not a service, it passes all calls to
/// the lifetime that was registered before it.
/// </summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsServiceLifetime(IServiceProvider services, string name, Func<IHostLifetime?> otherwise) : IHostLifetime, IDisposable
{
    private static readonly TimeSpan StopPace = TimeSpan.FromSeconds(1);

    private IHostLifetime? _other;
    private WindowsService? _service;
    private Timer? _stopping;
    private bool _isStarted;

    public Task WaitForStartAsync(CancellationToken cancellationToken)
    {
        IHostApplicationLifetime application = services.GetRequiredService<IHostApplicationLifetime>();
        // StopApplication runs the host's callbacks. The thread of the control handler must not wait for these
        // callbacks.
        _service = WindowsService.Connect(name, request => ThreadPool.QueueUserWorkItem(_ => Answer(request, application)));
        if (_service is null)
        {
            _other = otherwise();
            return _other?.WaitForStartAsync(cancellationToken) ?? Task.CompletedTask;
        }

        application.ApplicationStarted.Register(() =>
        {
            _isStarted = true;
            _service.Running();
        });
        application.ApplicationStopping.Register(() =>
        {
            _service.Stopping();
            _stopping = new Timer(_ => _service.Stopping(), null, StopPace, StopPace);
        });
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        if (_service is null)
        {
            return _other?.StopAsync(cancellationToken) ?? Task.CompletedTask;
        }

        // If a hosted service fails, the host stops, but its exit code stays 0. An exit code other than 0 triggers the
        // recovery actions.
        if (Environment.ExitCode == 0 && services.GetServices<IHostedService>().OfType<BackgroundService>().Any(s => s.ExecuteTask is { IsFaulted: true }))
        {
            Environment.ExitCode = 1;
        }

        return Task.CompletedTask;
    }

    // The host disposes this object after the loggers have written their messages, because the last report may end the
    // process.
    public void Dispose()
    {
        _stopping?.Dispose();
        _service?.Stopped(_isStarted || Environment.ExitCode != 0 ? Environment.ExitCode : 1);
        (_other as IDisposable)?.Dispose();
    }

    private void Answer(ServiceRequest request, IHostApplicationLifetime application)
    {
        if (request == ServiceRequest.Stop)
        {
            application.StopApplication();
        }
        else
        {
            new ConfigurationReload(services).Reload();
        }
    }
}
