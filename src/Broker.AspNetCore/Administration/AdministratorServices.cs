using Broker.AspNetCore;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds what the administrator of the live page needs to the services of a web application.</summary>
public static class AdministratorServices
{
    /// <summary>The scheme of the administrator's cookie.</summary>
    internal const string Scheme = "Broker.Administrator";

    private static readonly TimeSpan SessionLifetime = TimeSpan.FromMinutes(30);

    /// <summary>
    /// Adds the cookie of the administrator and the protection against forged requests. Call it if
    /// <see cref="MonitoringOptions.Administrator"/> is set.
    /// </summary>
    /// <returns>The same services, for chaining.</returns>
    public static IServiceCollection AddBrokerAdministrator(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddAuthentication().AddCookie(Scheme, static options =>
        {
            options.Cookie.Name = "broker_administrator";
            Harden(options.Cookie);
            options.ExpireTimeSpan = SessionLifetime;
            options.SlidingExpiration = true;
            // The page is a script, which shows its own form.
            options.Events.OnRedirectToLogin = RefuseAsync;
            options.Events.OnRedirectToAccessDenied = RefuseAsync;
        });
        services.AddAntiforgery(static options => Harden(options.Cookie));
        return services;
    }

    /// <summary>The same for the host of the pages. Its keys are in memory only, so sessions end with the process.</summary>
    internal static void AddToHost(IServiceCollection services)
    {
        ServiceDescriptor[] before = [.. services.Where(IsHosted)];
        services.AddBrokerAdministrator();
        services.AddSingleton<IDataProtectionProvider, EphemeralDataProtectionProvider>();
        // The antiforgery services add a hosted service that writes keys to the user's folder.
        foreach (ServiceDescriptor added in services.Where(IsHosted).Except(before).ToArray())
        {
            services.Remove(added);
        }

        static bool IsHosted(ServiceDescriptor service) => service.ServiceType == typeof(IHostedService);
    }

    private static void Harden(CookieBuilder cookie)
    {
        cookie.HttpOnly = true;
        cookie.SameSite = SameSiteMode.Strict;
        cookie.SecurePolicy = CookieSecurePolicy.SameAsRequest;
    }

    private static Task RefuseAsync(Microsoft.AspNetCore.Authentication.RedirectContext<CookieAuthenticationOptions> context)
    {
        context.Response.StatusCode = StatusCodes.Status401Unauthorized;
        return Task.CompletedTask;
    }
}
