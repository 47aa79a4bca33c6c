using System.Reflection;
using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>The scripts and the style of the live page. They are resources of this assembly.</summary>
internal static class LiveFiles
{
    /// <summary>The path of the script.</summary>
    internal const string ScriptPath = "/live.js";

    /// <summary>The path of the script for the routes of a bridge.</summary>
    internal const string RoutesScriptPath = "/live-routes.js";

    /// <summary>The path of the style.</summary>
    internal const string StylePath = "/live.css";

    private static readonly byte[] ScriptFile = Read("live.js");
    private static readonly byte[] RoutesScriptFile = Read("live-routes.js");
    private static readonly byte[] StyleFile = Read("live.css");

    internal static Task ScriptAsync(HttpContext context) => WriteAsync(context, ScriptFile, "text/javascript; charset=utf-8");

    internal static Task RoutesScriptAsync(HttpContext context) => WriteAsync(context, RoutesScriptFile, "text/javascript; charset=utf-8");

    internal static Task StyleAsync(HttpContext context) => WriteAsync(context, StyleFile, "text/css; charset=utf-8");

    private static Task WriteAsync(HttpContext context, byte[] file, string type)
    {
        context.Response.ContentType = type;
        context.Response.ContentLength = file.Length;
        return HttpMethods.IsHead(context.Request.Method)
            ? Task.CompletedTask
            : context.Response.Body.WriteAsync(file, context.RequestAborted).AsTask();
    }

    private static byte[] Read(string name)
    {
        using Stream resource = Assembly.GetExecutingAssembly().GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The assembly lacks the resource {name}.");
        byte[] file = new byte[resource.Length];
        resource.ReadExactly(file);
        return file;
    }
}
