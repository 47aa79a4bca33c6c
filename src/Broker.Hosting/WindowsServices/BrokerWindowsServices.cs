using System.Runtime.Versioning;
using Broker.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Makes a host a Windows service.</summary>
public static class BrokerWindowsServices
{
    /// <summary>
    /// Gives the host the lifetime of a Windows service, if the service control manager has started the process.
    /// Otherwise the host keeps its lifetime. The controls STOP, SHUTDOWN and PRESHUTDOWN stop the host, and its parts
    /// drain. The control PARAMCHANGE reloads the configuration.
    /// </summary>
    /// <remarks>
    /// Call this method after other methods that set a lifetime, because the last lifetime is used.
    /// <c>AddWindowsService</c> of Microsoft.Extensions.Hosting.WindowsServices is similar, but has no PARAMCHANGE, no
    /// PRESHUTDOWN and no exit code. Use only one of the two methods.
    /// </remarks>
    /// <param name="services">The services of a host.</param>
    /// <param name="serviceName">The name under which the service is installed.</param>
    /// <returns>The same services, for chained calls.</returns>
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
