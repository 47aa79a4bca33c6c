using System.Runtime.Versioning;
using Broker.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Makes a host a Windows service.</summary>
public static class BrokerWindowsServices
{
    /// <summary>
    /// Lets the host live as Windows asks when it was started by the service control manager; else it lives as before. Stop and
    /// shutdown stop the host, whose parts drain meanwhile; PARAMCHANGE reloads the configuration.
    /// </summary>
    /// <remarks>
    /// Its place is behind whatever else sets a lifetime. With Microsoft.Extensions.Hosting.WindowsServices in the application,
    /// <c>AddWindowsService</c> does the same but for PARAMCHANGE, pre-shutdown and the exit code; use one of the two.
    /// </remarks>
    /// <param name="services">The services of a host.</param>
    /// <param name="serviceName">The name that the service is installed by.</param>
    /// <returns>The services, for more.</returns>
    public static IServiceCollection AddBrokerWindowsService(this IServiceCollection services, string serviceName)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(serviceName);
        return OperatingSystem.IsWindows() ? Add(services, serviceName) : services;
    }

    [SupportedOSPlatform("windows")]
    private static IServiceCollection Add(IServiceCollection services, string serviceName)
    {
        ServiceDescriptor? before = services.LastOrDefault(d => d.ServiceType == typeof(IHostLifetime) && !d.IsKeyedService);
        services.RemoveAll<IHostLifetime>();
        return services.AddSingleton<IHostLifetime>(provider => new WindowsServiceLifetime(provider, serviceName, () => Create(provider, before)));
    }

    private static IHostLifetime? Create(IServiceProvider provider, ServiceDescriptor? descriptor) => descriptor switch
    {
        null => null,
        { ImplementationInstance: IHostLifetime instance } => instance,
        { ImplementationFactory: { } factory } => (IHostLifetime)factory(provider),
        _ => (IHostLifetime)ActivatorUtilities.CreateInstance(provider, descriptor.ImplementationType!),
    };
}
