using System.Buffers;
using System.Globalization;
using System.Security.Claims;
using System.Text.Json;
using Broker.Server;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore;

/// <summary>The log-in and the actions of the administrator. Every change is a POST from a page of the same host.</summary>
internal sealed partial class AdministratorPages(BrokerServer server, AdministratorOptions options) : IDisposable
{
    /// <summary>The path of the page that says who is logged in.</summary>
    internal const string Path = "/admin";

    private static readonly Dictionary<string, RouteChange> Changes = new(StringComparer.Ordinal)
    {
        ["pause"] = RouteChange.Pause,
        ["resume"] = RouteChange.Resume,
        ["begin_shadow"] = RouteChange.BeginShadow,
        ["end_shadow"] = RouteChange.EndShadow,
    };

    private readonly LoginLimiter _limiter = new();

    /// <summary>The paths below <see cref="Path"/> that change something, with their handlers.</summary>
    internal IEnumerable<(string Path, RequestDelegate Handler)> Actions
    {
        get
        {
            yield return (Path + "/login", context => CheckAsync(context, LogInAsync));
            yield return (Path + "/logout", context => ActAsync(context, (_, _) => LogOutAsync(context)));
            yield return (Path + "/close", context => ActAsync(context, (form, name) => CloseAsync(context, form, name)));
            yield return (Path + "/reload", context => ActAsync(context, (_, name) => ReloadAsync(context, name)));
            if (options.EnterLameDuck is { } enter)
            {
                yield return (Path + "/lameduck", context => ActAsync(context, (_, name) => EnterLameDuckAsync(context, enter, name)));
            }

            if (options.ChangeRoute is { } change)
            {
                yield return (Path + "/route", context => ActAsync(context, (form, name) => ChangeRouteAsync(context, change, form, name)));
            }
        }
    }

    public void Dispose() => _limiter.Dispose();

    /// <summary>Says who is logged in, which actions there are, and the token that each of them must send.</summary>
    internal async Task StateAsync(HttpContext context)
    {
        string? name = await ReadSessionAsync(context).ConfigureAwait(false);
        AntiforgeryTokenSet tokens = Antiforgery(context).GetAndStoreTokens(context);
        var buffer = new ArrayBufferWriter<byte>(512);
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteString("name", name);
            json.WriteString("header", tokens.HeaderName);
            json.WriteString("token", tokens.RequestToken);
            json.WriteBoolean("needs_name", options.Token is null);
            json.WriteBoolean("reload", server.RereadConfiguration is not null);
            json.WriteBoolean("lameduck", options.EnterLameDuck is not null);
            json.WriteBoolean("routes", options.ChangeRoute is not null);
            json.WriteEndObject();
        }

        context.Response.ContentType = "application/json";
        await context.Response.Body.WriteAsync(buffer.WrittenMemory, context.RequestAborted).ConfigureAwait(false);
    }

    private static IAntiforgery Antiforgery(HttpContext context) => context.RequestServices.GetRequiredService<IAntiforgery>();

    // The token against forged requests is bound to the user of the context.
    private static async Task<string?> ReadSessionAsync(HttpContext context)
    {
        AuthenticateResult session = await context.AuthenticateAsync(AdministratorServices.Scheme).ConfigureAwait(false);
        if (!session.Succeeded)
        {
            context.User = new ClaimsPrincipal(new ClaimsIdentity());
            return null;
        }

        context.User = session.Principal;
        return session.Principal.Identity?.Name;
    }

    // Runs an action if the request is of a page of this host, and not forged.
    private static async Task CheckAsync(HttpContext context, Func<HttpContext, IFormCollection, string?, Task> run)
    {
        if (!OwnOrigin.IsOf(context.Request))
        {
            await RefuseAsync(context, StatusCodes.Status403Forbidden, "the request is not from a page of this host").ConfigureAwait(false);
            return;
        }

        string? name = await ReadSessionAsync(context).ConfigureAwait(false);
        if (!context.Request.HasFormContentType || !await Antiforgery(context).IsRequestValidAsync(context).ConfigureAwait(false))
        {
            await RefuseAsync(context, StatusCodes.Status403Forbidden, "the request has no valid token; load the page again").ConfigureAwait(false);
            return;
        }

        IFormCollection form = await context.Request.ReadFormAsync(context.RequestAborted).ConfigureAwait(false);
        await run(context, form, name).ConfigureAwait(false);
    }

    private static Task ActAsync(HttpContext context, Func<IFormCollection, string, Task> act) => CheckAsync(
        context,
        (_, form, name) => name is null
            ? RefuseAsync(context, StatusCodes.Status401Unauthorized, "log in first")
            : act(form, name));

    private async Task LogInAsync(HttpContext context, IFormCollection form, string? before)
    {
        if (!_limiter.TryBegin(context))
        {
            context.Response.Headers.RetryAfter = "60";
            await RefuseAsync(context, StatusCodes.Status429TooManyRequests, "too many log-ins; wait a minute").ConfigureAwait(false);
            return;
        }

        using IDisposable? turn = await _limiter.EnterAsync(context.RequestAborted).ConfigureAwait(false);
        string? name = turn is null
            ? null
            : await Task.Run(() => options.Verify(form["name"].ToString(), form["secret"].ToString()), context.RequestAborted).ConfigureAwait(false);
        if (name is null)
        {
            LoginRefused(options.Logger, FromOf(context));
            await RefuseAsync(context, StatusCodes.Status401Unauthorized, "the name or the password is wrong").ConfigureAwait(false);
            return;
        }

        var identity = new ClaimsIdentity([new Claim(ClaimTypes.Name, name), new Claim(ClaimTypes.NameIdentifier, name)], AdministratorServices.Scheme);
        await context.SignInAsync(AdministratorServices.Scheme, new ClaimsPrincipal(identity)).ConfigureAwait(false);
        LoggedIn(options.Logger, name, FromOf(context));
        await DoneAsync(context, $"logged in as {name}").ConfigureAwait(false);
    }

    private static async Task LogOutAsync(HttpContext context)
    {
        await context.SignOutAsync(AdministratorServices.Scheme).ConfigureAwait(false);
        await DoneAsync(context, "logged out").ConfigureAwait(false);
    }

    private Task CloseAsync(HttpContext context, IFormCollection form, string name)
    {
        if (!ulong.TryParse(form["cid"], NumberStyles.None, CultureInfo.InvariantCulture, out ulong id))
        {
            return RefuseAsync(context, StatusCodes.Status400BadRequest, "cid is not the number of a client");
        }

        if (!server.CloseClient(id))
        {
            return RefuseAsync(context, StatusCodes.Status404NotFound, $"client {id} is not connected");
        }

        ClosedClient(options.Logger, name, FromOf(context), id);
        return DoneAsync(context, $"client {id} was closed");
    }

    private async Task ReloadAsync(HttpContext context, string name)
    {
        if (server.RereadConfiguration is not { } reread)
        {
            await RefuseAsync(context, StatusCodes.Status404NotFound, "this program does not read its configuration again").ConfigureAwait(false);
            return;
        }

        Reloads(options.Logger, name, FromOf(context));
        await ChangeAsync(context, reread, "the configuration was read again").ConfigureAwait(false);
    }

    private Task EnterLameDuckAsync(HttpContext context, Func<Task> enter, string name)
    {
        EntersLameDuck(options.Logger, name, FromOf(context));
        return ChangeAsync(context, enter, "lame duck mode has begun");
    }

    private Task ChangeRouteAsync(HttpContext context, Func<string, RouteChange, Task> change, IFormCollection form, string name)
    {
        string route = form["route"].ToString();
        if (!Changes.TryGetValue(form["change"].ToString(), out RouteChange wanted))
        {
            return RefuseAsync(context, StatusCodes.Status400BadRequest, $"change is none of {string.Join(", ", Changes.Keys)}");
        }

        return ChangeAsync(
            context,
            async () =>
            {
                await change(route, wanted).ConfigureAwait(false);
                // Only now is the text from the form known to be the name of a route.
                ChangedRoute(options.Logger, name, FromOf(context), route, wanted);
            },
            $"route {route}: {Done(wanted)}");
    }

    private static string Done(RouteChange change) => change switch
    {
        RouteChange.Pause => "paused",
        RouteChange.Resume => "resumed",
        RouteChange.BeginShadow => "its programs receive only copies",
        _ => "its programs take part",
    };

    // The program's callbacks explain by an exception why they cannot do something.
    private static async Task ChangeAsync(HttpContext context, Func<Task> change, string done)
    {
        try
        {
            await change().WaitAsync(context.RequestAborted).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not (OperationCanceledException or OutOfMemoryException))
        {
            await RefuseAsync(context, StatusCodes.Status409Conflict, e.Message).ConfigureAwait(false);
            return;
        }

        await DoneAsync(context, done).ConfigureAwait(false);
    }

    private static Task DoneAsync(HttpContext context, string text)
    {
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(text, context.RequestAborted);
    }

    private static Task RefuseAsync(HttpContext context, int status, string text)
    {
        context.Response.StatusCode = status;
        return DoneAsync(context, text);
    }

    private static string FromOf(HttpContext context) => context.Connection.RemoteIpAddress?.ToString() ?? "this machine";

    [LoggerMessage(61, LogLevel.Information, "Administrator {Name} has logged in from {From}")]
    private static partial void LoggedIn(ILogger logger, string name, string from);

    [LoggerMessage(62, LogLevel.Warning, "A log-in of an administrator from {From} was refused")]
    private static partial void LoginRefused(ILogger logger, string from);

    [LoggerMessage(63, LogLevel.Information, "Administrator {Name} from {From} has closed client {Client}")]
    private static partial void ClosedClient(ILogger logger, string name, string from, ulong client);

    [LoggerMessage(64, LogLevel.Information, "Administrator {Name} from {From} reloads the configuration")]
    private static partial void Reloads(ILogger logger, string name, string from);

    [LoggerMessage(65, LogLevel.Information, "Administrator {Name} from {From} begins lame duck mode")]
    private static partial void EntersLameDuck(ILogger logger, string name, string from);

    [LoggerMessage(66, LogLevel.Information, "Administrator {Name} from {From} has changed route {Route}: {Change}")]
    private static partial void ChangedRoute(ILogger logger, string name, string from, string route, RouteChange change);
}
