using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting;

/// <summary>Where relative files of the settings begin, as those of the configuration itself do: a service is started in a folder of the system.</summary>
internal static class ContentRoot
{
    /// <summary>The file as it is opened; an absolute one, and all where there is no host, as it is written.</summary>
    [return: NotNullIfNotNull(nameof(file))]
    public static string? Resolve(IServiceProvider services, string? file)
        => string.IsNullOrEmpty(file) || services.GetService<IHostEnvironment>() is not { } environment ? file : Path.Combine(environment.ContentRootPath, file);
}
