using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting;

/// <summary>
/// Resolves relative file names of the settings against the host's content root, as the configuration does with its own
/// files. The current directory of a service is a system folder.
/// </summary>
internal static class ContentRoot
{
    /// <summary>
    /// Returns the path to open. An absolute path is unchanged. Without a host every path is unchanged.
    /// </summary>
    [return: NotNullIfNotNull(nameof(file))]
    public static string? Resolve(IServiceProvider services, string? file)
        => string.IsNullOrEmpty(file) || services.GetService<IHostEnvironment>() is not { } environment ? file : Path.Combine(environment.ContentRootPath, file);
}
