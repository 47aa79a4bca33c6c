using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting;

/// <summary>
/// Resolves relative file names of the settings against the host's content root, as the host does for its configuration
/// files. The current directory would be wrong: for a Windows service, it is a system folder.
/// </summary>
internal static class ContentRoot
{
    /// <summary>
    /// Returns the path to open. An absolute path stays unchanged. In a program without a host, every path stays
    /// unchanged.
    /// </summary>
    [return: NotNullIfNotNull(nameof(file))]
    public static string? Resolve(IServiceProvider services, string? file)
        => string.IsNullOrEmpty(file) || services.GetService<IHostEnvironment>() is not { } environment ? file : Path.Combine(environment.ContentRootPath, file);
}
