using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>
/// Redirects a path with doubled slashes to the same path with single slashes, as nats-server does. Some exporters ask
/// for <c>//varz</c>.
/// </summary>
internal static class CleanPaths
{
    internal static WebApplication UseCleanPaths(this WebApplication application)
    {
        application.Use(static (context, next) =>
        {
            string path = context.Request.Path.Value ?? "";
            if (!path.Contains("//", StringComparison.Ordinal))
            {
                return next(context);
            }

            var clean = new PathString("/" + string.Join('/', path.Split('/', StringSplitOptions.RemoveEmptyEntries)));
            context.Response.Redirect(clean.ToUriComponent() + context.Request.QueryString, permanent: true);
            return Task.CompletedTask;
        });
        return application;
    }
}
